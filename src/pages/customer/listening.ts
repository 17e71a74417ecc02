import { html, type Html, type Written } from '../../kit/html';
import { type CustomerVisit } from './entry';

/**
 * The attributes of an element that shows a change in progress. The element requests `again` after each event of the
 * account and by a slow poll, or by a fast poll if the merchant has turned `push` off. `target`: the id of the element
 * that the response replaces.
 */
export function listening(
  { visit, place }: Pick<CustomerVisit, 'visit' | 'place'>,
  { again, target }: { again: string; target: string },
): Html {
  const attributes = html`hx-get="${again}" hx-target="#${target}" hx-swap="outerHTML"`;
  if (visit.isOff('push')) return html`${attributes} hx-trigger="every 2s"`;
  return html`${attributes} data-listen="${place.merchant_uuid}" hx-trigger="told, every 8s"`;
}

const refreshSeconds = 3;

/**
 * In a browser without scripts, the page loads `again` until the change is done. The link is for browsers that refuse
 * automatic reloads. A fragment for htmx has no such tag: the parser of htmx has no scripts, so the page would reload.
 */
export function refreshing({ visit, texts }: Pick<CustomerVisit, 'visit' | 'texts'>, again: string): Written {
  if (visit.isFragment) return undefined;
  return html`<noscript>
    <meta http-equiv="refresh" content="${refreshSeconds};url=${again}" />
    <a href="${again}">${texts.t('common.reload')}</a>
  </noscript>`;
}
