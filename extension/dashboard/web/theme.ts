import type { Drawn } from '../messages.ts'

/** What canvases are painted with. Everything comes from the colour theme. */
export interface Theme {
  readonly name: Drawn['theme']
  readonly isHighContrast: boolean
  readonly background: string
  readonly foreground: string
  readonly dimmed: string
  /** Grid of a chart. */
  readonly lines: string
  /** Marked ranges. */
  readonly band: string
  readonly font: string
  /** One per part of a bar; the last is for the others. */
  readonly colors: readonly string[]
  /** A line over the bars. */
  readonly line: string
}

const chartColors = ['blue', 'yellow', 'purple', 'green', 'red'] as const

/** The theme that holds now. */
export function currentTheme(): Theme {
  const style = getComputedStyle(document.body)
  const color = (name: string, fallback: string): string =>
    style.getPropertyValue(`--vscode-${name}`).trim() || fallback
  const { classList } = document.body
  const isLight = classList.contains('vscode-light') || classList.contains('vscode-high-contrast-light')
  const isHighContrast = classList.contains('vscode-high-contrast') || classList.contains('vscode-high-contrast-light')
  const background = color('editor-background', isLight ? '#ffffff' : '#000000')
  const foreground = color('editor-foreground', color('foreground', isLight ? '#000000' : '#ffffff'))
  const chartColor = (name: (typeof chartColors)[number]): string => color(`charts-${name}`, foreground)
  // The orange that themes have is meant for search results: it is translucent in some and missing in high contrast.
  const orange = `color-mix(in srgb, ${chartColor('red')}, ${chartColor('yellow')})`
  const mixed = (share: number): string => `color-mix(in srgb, ${foreground} ${share}%, ${background})`
  return {
    name: isHighContrast ? (isLight ? 'highContrastLight' : 'highContrast') : isLight ? 'light' : 'dark',
    isHighContrast,
    background,
    foreground,
    dimmed: isHighContrast ? foreground : mixed(70),
    lines: isHighContrast ? mixed(40) : mixed(14),
    band: mixed(isHighContrast ? 25 : 10),
    font: `${style.fontSize || '13px'} ${style.fontFamily || 'sans-serif'}`,
    colors: [...chartColors.map(chartColor), orange, mixed(55)],
    line: foreground,
  }
}

/** Calls back when the theme changes. */
export function onThemeChange(changed: () => void): void {
  const observer = new MutationObserver(changed)
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] })
}
