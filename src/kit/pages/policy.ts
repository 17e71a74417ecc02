/** The Content-Security-Policy of our pages and of a merchant's HTML. */

/** Further hosts that one page allows, by directive. */
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

/** The browser runs and loads only what one of our pages names. */
export function ownPolicy({ nonce, ancestors, allowsPlainPictures, hosts }: OwnPolicy): string {
  const { script = [], connect = [], frame = [] } = hosts ?? {};
  return [
    "default-src 'none'",
    [`script-src 'nonce-${nonce}'`, ...script].join(' '),
    `style-src 'nonce-${nonce}'`,
    "font-src 'self'",
    `img-src 'self' data: https:${allowsPlainPictures ? ' http:' : ''}`,
    ["connect-src 'self'", ...connect].join(' '),
    ["frame-src 'self'", ...frame].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/**
 * The policy for a merchant's own HTML, which may load anything. Its opaque origin cannot read our cookies or pages. It
 * has no forms, because a visitor could take one for ours. A player that it frames may have forms.
 */
export function foreignPolicy(ancestors: string): string {
  return [
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation',
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** Browser features that neither our pages nor the pages in their frames use. */
export const permissionsPolicy = [
  'accelerometer',
  'bluetooth',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'serial',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');
