/** Names of product icons that nodes use. */
export type NodeIcon =
  | 'add'
  | 'calendar'
  | 'chip'
  | 'circle-outline'
  | 'circle-slash'
  | 'ellipsis'
  | 'folder'
  | 'info'
  | 'layers'
  | 'lightbulb'
  | 'pulse'
  | 'stop-circle'
  | 'symbol-misc'
  | 'tasklist'
  | 'warning'

/** A row of the Spend view as it is drawn, without VS Code. */
export interface SpendNode {
  /** Unique in the tree, and the same for the same thing at each drawing: by it VS Code keeps what is open and selected. */
  readonly id: string
  readonly label: string
  /** Drawn dimmed behind the label; empty where there is nothing to say. */
  readonly description: string
  readonly tooltip: string
  /** What a screen reader says. */
  readonly spoken: string
  readonly icon: NodeIcon
  /** Colour of the icon: earned, most have none. */
  readonly tone: 'none' | 'warning' | 'error'
  /** How it stands when it is drawn first; a leaf has no children. */
  readonly open: 'leaf' | 'open' | 'closed'
  /** Words that `when` clauses of menus look for; empty for none. */
  readonly menu: readonly ('stop' | 'resume' | 'calls' | 'raise' | 'takeBack')[]
  /** The task that its menu acts on. */
  readonly task: string | null
  /** Whether a click on it shows the task's calls. */
  readonly opens: boolean
  readonly children: readonly SpendNode[]
}

/** Parts of a node that have a usual value. */
type Usual = 'description' | 'tooltip' | 'spoken' | 'tone' | 'open' | 'menu' | 'task' | 'opens' | 'children'

/**
 * A node from its parts. What is left out follows: the tooltip and the spoken label from label and description, a leaf without
 * children, open with them.
 */
export function nodeOf(parts: Omit<SpendNode, Usual> & Partial<Pick<SpendNode, Usual>>): SpendNode {
  const description = parts.description ?? ''
  const children = parts.children ?? []
  const read = [parts.label, description].filter((part) => part !== '')
  return {
    ...parts,
    description,
    children,
    tooltip: parts.tooltip ?? read.join('\n'),
    spoken: parts.spoken ?? read.join(', '),
    tone: parts.tone ?? 'none',
    open: parts.open ?? (children.length === 0 ? 'leaf' : 'open'),
    menu: parts.menu ?? [],
    task: parts.task ?? null,
    opens: parts.opens ?? false,
  }
}

/** Most rows that the closed node behind a bounded list holds. */
const mostBehind = 200

/** The first rows, and behind a closed node the others, so that a long list neither hides the next section nor grows without end. */
export function bounded(
  id: string,
  rows: readonly SpendNode[],
  most: number,
  andMore: (count: number) => string,
): readonly SpendNode[] {
  if (rows.length <= most) return rows
  const rest = rows.slice(most)
  const more = nodeOf({
    id: `${id}/more`,
    label: andMore(rest.length),
    icon: 'ellipsis',
    open: 'closed',
    children: rest.slice(0, mostBehind),
  })
  return [...rows.slice(0, most), more]
}

/**
 * What has to be drawn anew between two drawings: ids of nodes that look otherwise or have other children, or `all` where the
 * sections themselves changed. A node that is drawn anew takes everything below it along, so nothing below it is named.
 */
export function changesBetween(before: readonly SpendNode[], after: readonly SpendNode[]): readonly string[] | 'all' {
  if (!haveSameIds(before, after)) return 'all'
  return after.flatMap((node, index) => changesOf(before[index], node))
}

function changesOf(before: SpendNode | undefined, after: SpendNode): readonly string[] {
  if (before === undefined || lookOf(before) !== lookOf(after)) return [after.id]
  if (!haveSameIds(before.children, after.children)) return [after.id]
  return after.children.flatMap((child, index) => changesOf(before.children[index], child))
}

function haveSameIds(one: readonly SpendNode[], other: readonly SpendNode[]): boolean {
  return one.length === other.length && one.every((node, index) => node.id === other[index]?.id)
}

function lookOf({ children: _children, ...look }: SpendNode): string {
  return JSON.stringify(look)
}

/** A text from outside as a row shows it: one line, of bounded length. */
export function oneLine(text: string, mostLetters = 80): string {
  const bare = text
    .replace(/\p{C}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const letters = Array.from(bare)
  return letters.length <= mostLetters ? bare : `${letters.slice(0, mostLetters - 1).join('')}…`
}
