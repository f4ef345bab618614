/** Code, which stays as it is, or a picture or link: its mark, text and target. */
const codeOrLink = /^```[\s\S]*?^```|`(?:[^`\n]|\n(?!\n))*`|(!?)\[([^\]]*)\]\(([^)\s]+)\)/gm

/**
 * Makes the package's README from the repository's. The page on which VS Code shows it follows no relative path, and since 1.103 it takes
 * pictures from web addresses only, `data:` URLs are removed. So the pictures of the repository are left out, and a link to one of its
 * files becomes text, with the file's name where the text is another. The bundler calls this; the extension does not.
 */
export function packReadme(markdown: string): string {
  return markdown.replace(codeOrLink, (whole: string, mark?: string, text?: string, target?: string) => {
    if (text === undefined || target === undefined || !isRelative(target)) return whole
    return mark === '!' ? '' : textOf(text, target)
  })
}

/** Neither an address nor an anchor of the page itself. */
function isRelative(target: string): boolean {
  return !/^(?:[a-z][a-z\d+.-]*:|#|\/\/)/i.test(target)
}

function textOf(text: string, target: string): string {
  const [path = ''] = target.split('#')
  const name = `\`${path}\``
  return text === path || text === name ? name : `${text} (${name})`
}
