import type { Theme } from './theme.ts'

/** Side of a pattern's tile in CSS pixels. */
const tile = 8

type Stroke = readonly [x0: number, y0: number, x1: number, y1: number]

/**
 * Strokes of each part's pattern, so that parts are told apart without their colours. Diagonals go beyond the tile, so that
 * neighbours join.
 */
const patterns: readonly (readonly Stroke[])[] = [
  [],
  [
    [-2, 10, 10, -2],
    [-2, 2, 2, -2],
    [6, 10, 10, 6],
  ],
  [
    [0, 2, 8, 2],
    [0, 6, 8, 6],
  ],
  [
    [-2, -2, 10, 10],
    [-2, 6, 2, 10],
    [6, -2, 10, 2],
  ],
  [
    [2, 0, 2, 8],
    [6, 0, 6, 8],
  ],
  [
    [-2, 10, 10, -2],
    [-2, -2, 10, 10],
  ],
  [
    [1, 2, 3, 2],
    [5, 6, 7, 6],
  ],
]

/**
 * Fill of a bar's part: its colour with a texture. In high contrast the texture is drawn in the colour on the background, so that
 * it is as clear as the colour itself. `scale` is device pixels per CSS pixel.
 */
export function fillOf(index: number, theme: Theme, scale: number): string | CanvasPattern {
  const color = theme.colors[index % theme.colors.length] ?? theme.foreground
  const strokes = patterns[index % patterns.length] ?? []
  if (strokes.length === 0) return color
  const canvas = document.createElement('canvas')
  const size = Math.round(tile * scale)
  canvas.width = size
  canvas.height = size
  const context = canvas.getContext('2d')
  if (context === null) return color
  context.fillStyle = theme.isHighContrast ? theme.background : color
  context.fillRect(0, 0, size, size)
  context.scale(size / tile, size / tile)
  context.strokeStyle = theme.isHighContrast ? color : theme.background
  context.globalAlpha = theme.isHighContrast ? 1 : 0.4
  context.lineWidth = theme.isHighContrast ? 2 : 1.2
  context.beginPath()
  for (const [x0, y0, x1, y1] of strokes) {
    context.moveTo(x0, y0)
    context.lineTo(x1, y1)
  }
  context.stroke()
  return context.createPattern(canvas, 'repeat') ?? color
}

/** A part's colour by itself, for its outline. */
export function colorOf(index: number, theme: Theme): string {
  return theme.colors[index % theme.colors.length] ?? theme.foreground
}

/** A sample of a part's fill, or of the line, for a legend. */
export function swatch(index: number | 'line', theme: Theme): HTMLCanvasElement {
  const scale = window.devicePixelRatio || 1
  const canvas = document.createElement('canvas')
  const [width, height] = [index === 'line' ? 22 : 14, 14]
  canvas.width = width * scale
  canvas.height = height * scale
  canvas.style.width = `${width}px`
  canvas.style.height = `${height}px`
  canvas.setAttribute('aria-hidden', 'true')
  const context = canvas.getContext('2d')
  if (context === null) return canvas
  if (index === 'line') {
    context.strokeStyle = theme.line
    context.lineWidth = 2 * scale
    context.setLineDash([5 * scale, 3 * scale])
    context.beginPath()
    context.moveTo(0, canvas.height / 2)
    context.lineTo(canvas.width, canvas.height / 2)
    context.stroke()
    return canvas
  }
  context.fillStyle = fillOf(index, theme, scale)
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.strokeStyle = colorOf(index, theme)
  context.lineWidth = 2 * scale
  context.strokeRect(0, 0, canvas.width, canvas.height)
  return canvas
}
