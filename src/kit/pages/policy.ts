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

/**
 * For a merchant's own HTML, which may load anything. Its opaque origin cannot read our cookies or pages. It has no forms
 * of its own, because a visitor could take one for ours. A player that it frames may have forms.
 */
export function foreignPolicy(ancestors: string): string {
  return [
    'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation',
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** What no page of ours uses, and no page that one of ours frames. */
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
