/** What a path holds. */
export type FileText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** It is there and cannot be read as text; the reason is for the log. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/** The part of a file system that clients' settings need. */
export interface Files {
  read(path: string): Promise<FileText>
  /**
   * Replaces a file in one step, or makes it, with its folder. Rights, owner and symbolic links stay. Throws `WriteRefused`
   * where the file is read-only or has a second name, else what the file system says.
   */
  write(path: string, text: string): Promise<void>
  /**
   * Removes a file, and its folders up to `madeFolder` as long as they are empty; without one, no folder. Throws what the file
   * system says.
   */
  remove(path: string, madeFolder?: string | null): Promise<void>
  exists(path: string): Promise<boolean>
}

/** Files that are asked for several times in one run are read once. */
export function readOnce(files: Pick<Files, 'read' | 'exists'>): Pick<Files, 'read' | 'exists'> {
  const texts = new Map<string, Promise<FileText>>()
  return {
    exists: (path) => files.exists(path),
    read: (path) => {
      const text = texts.get(path) ?? files.read(path)
      texts.set(path, text)
      return text
    },
  }
}
