/** What a browser may do with a page: the Content-Security-Policy of ours, and of text that is not ours. */

/** Further hosts that one page allows, by the directive of the policy. */
export interface PolicyHosts {
  script: readonly string[];
  connect: readonly string[];
  frame: readonly string[];
}

interface OwnPolicy {
  nonce: string;
  ancestors: string;
  allowsPlainPictures: boolean;
  hosts?: PolicyHosts | undefined;
}

/** Nothing runs or is loaded but what a page of ours names. */
export function ownPolicy({ nonce, ancestors, allowsPlainPictures, hosts }: OwnPolicy): string {
  const { script = [], connect = [], frame = [] } = hosts ?? {};
  return [
    "default-src 'none'",
    [`script-src 'nonce-${nonce}'`, ...script].join(' '),
    `style-src 'nonce-${nonce}'`,
    `img-src 'self' data: https:${allowsPlainPictures ? ' http:' : ''}`,
    ["connect-src 'self'", ...connect].join(' '),
    ["frame-src 'self'", ...frame].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** For a merchant's own HTML, which may load anything. Its opaque origin cannot read our cookies or pages. */
export function foreignPolicy(ancestors: string): string {
  return [
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation',
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}
