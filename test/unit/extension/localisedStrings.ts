import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** The files that hold sentences; every other file of the extension takes them from there. */
const textFile = /^extension\/(?:[a-z]+T|t)ext\.ts$/

/** Functions that show their arguments to a person. */
const showing = new Set([
  'showInformationMessage',
  'showWarningMessage',
  'showErrorMessage',
  'setStatusBarMessage',
  'createWebviewPanel',
])

/** Properties that a person reads. */
const read = new Set(['title', 'placeHolder', 'prompt', 'detail', 'label', 'description', 'tooltip', 'saveLabel'])

/** What the extension's code says. */
export interface LocalisedStrings {
  /** The messages that `l10n.t` is called with, which are the keys of the bundles. */
  readonly keys: ReadonlySet<string>
  /** Calls of `l10n.t` whose message no bundle can hold, because it is known only when the code runs. */
  readonly unreadable: readonly string[]
  /** Words that are shown to a person and are not in the text files. */
  readonly stray: readonly string[]
}

/** Reads every TypeScript file of the extension. */
export function readLocalisedStrings(): LocalisedStrings {
  const files = sourceFiles().map((path) => stringsOf(path, readFileSync(path, 'utf8')))
  return {
    keys: new Set(files.flatMap(({ keys }) => [...keys])),
    unreadable: files.flatMap(({ unreadable }) => unreadable),
    stray: files.flatMap(({ stray }) => stray),
  }
}

/** Reads one file with the compiler's own parser. */
export function stringsOf(path: string, text: string): LocalisedStrings {
  const keys = new Set<string>()
  const unreadable: string[] = []
  const stray: string[] = []
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const place = (node: ts.Node): string =>
    `${path}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText().slice(0, 80)}`
  const visit = (node: ts.Node): void => {
    if (isLocalisation(node)) {
      const [message] = node.arguments
      if (message !== undefined && ts.isStringLiteralLike(message)) keys.add(message.text)
      else unreadable.push(place(node))
    }
    if (!textFile.test(path)) stray.push(...shownBy(node).filter(hasWords).map(place))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return { keys, unreadable, stray }
}

function sourceFiles(): readonly string[] {
  return readdirSync('extension', { recursive: true, encoding: 'utf8' })
    .map((path) => `extension/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
}

function isLocalisation(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && /(?:^|\.)l10n\.t$/.test(node.expression.getText())
}

/** The expressions of a node that a person reads. */
function shownBy(node: ts.Node): readonly ts.Expression[] {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    return showing.has(node.expression.name.text) ? node.arguments : []
  }
  return ts.isPropertyAssignment(node) && read.has(node.name.getText()) ? [node.initializer] : []
}

/** A literal with a word of its own; icons, commands and what is filled in are none. */
function hasWords(expression: ts.Expression): boolean {
  const parts = ts.isStringLiteralLike(expression)
    ? [expression.text]
    : ts.isTemplateExpression(expression)
      ? [expression.head.text, ...expression.templateSpans.map(({ literal }) => literal.text)]
      : []
  return parts.some((part) => /\p{L}{2}/u.test(part.replace(/\$\([^)]*\)/g, '').replace(/^tollgate\.[\w.]+$/, '')))
}
