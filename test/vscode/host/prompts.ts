/** Texts by which a prompt asks the playing upstream for a certain answer. */
export const prompts = {
  /** 100,000 input and 2,000 output tokens: some tens of cents. */
  dear: 'Read all of this and summarise it.',
  /** One token every 100 ms for 40 s. */
  slow: 'Count slowly.',
  /** Asks for the same tool call whatever came back. */
  loop: 'Read page 3 until it changes.',
  /** Asks for another page each time, without end. */
  pages: 'Read every page.',
} as const

/** A model of the playing Ollama that never answers. */
export const silentModel = 'never-answers'
