import type { DashboardPage } from '../page.ts'
import { element, setText } from './elements.ts'

type Choice = DashboardPage['choices']['period'][number]

/** A list with its label. */
export class Control {
  readonly root: HTMLElement
  readonly #label: HTMLElement
  readonly #select: HTMLSelectElement
  #shown = ''
  #waiting: (() => void) | null = null

  constructor(id: string, chosen: (value: string) => void) {
    this.#label = element('label', { for: id })
    this.#select = element('select', { id })
    this.root = element('div', { class: 'control' }, this.#label, this.#select)
    this.#select.addEventListener('change', () => chosen(this.#select.value))
    this.#select.addEventListener('blur', () => {
      this.#waiting?.()
      this.#waiting = null
    })
  }

  /** An open list is not changed under the pointer: what came in between is shown when it loses the focus. */
  show(label: string, choices: readonly Choice[], value: string): void {
    setText(this.#label, label)
    const shown = JSON.stringify(choices)
    const fill = (): void => {
      if (shown !== this.#shown) {
        this.#shown = shown
        this.#select.replaceChildren(...choices.map((one) => element('option', { value: one.value }, one.label)))
      }
      this.#select.value = value
      this.#select.disabled = choices.length < 2
    }
    const isOpen = document.activeElement === this.#select && this.#select.options.length > 0
    if (!isOpen || this.#select.value !== value) fill()
    else if (shown !== this.#shown) this.#waiting = fill
  }
}
