/** Where the page's parts are, as a webview may load them. */
export interface DocumentParts {
  /** Random, new for each document. */
  readonly nonce: string
  readonly scriptUri: string
  readonly styleUri: string
  readonly language: string
  readonly title: string
  readonly loading: string
}

/**
 * The page before its script runs. Nothing is loaded but the one script and the one style sheet that carry the nonce: no image,
 * no font, no connection, and no inline code.
 */
export function documentOf({ nonce, scriptUri, styleUri, language, title, loading }: DocumentParts): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<!DOCTYPE html>
<html lang="${attribute(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${attribute(title)}</title>
<link rel="stylesheet" nonce="${attribute(nonce)}" href="${attribute(styleUri)}">
</head>
<body>
<main id="dashboard"><p role="status">${attribute(loading)}</p></main>
<script nonce="${attribute(nonce)}" src="${attribute(scriptUri)}"></script>
</body>
</html>`
}

function attribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
