/** Stands before each line that the suite prints, among all that VS Code logs. */
export const suiteMark = '[suite] '
