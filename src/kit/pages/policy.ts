/** What a browser may do with a page: the Content-Security-Policy of ours, and of text that is not ours. */

/** Nothing runs or is loaded but what a page of ours names. */
export function ownPolicy(nonce: string, ancestors: string, allowsPlainPictures: boolean): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src 'self' data: https:${allowsPlainPictures ? ' http:' : ''}`,
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** A merchant's own HTML, with whatever it loads, in an origin that is nobody's: it reaches neither cookies nor pages of ours. */
export function foreignPolicy(ancestors: string): string {
  return [
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation',
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}
