import { html, type Html } from '../../kit/html';
import { type CustomerVisit } from './entry';

/**
 * The attributes of an element that shows a change in progress. It requests `again` at each event of the account, and
 * by a slow poll; by a fast poll if the merchant has turned `push` off. `target`: the id of the element that the
 * response replaces.
 */
export function listening(
  { visit, place }: Pick<CustomerVisit, 'visit' | 'place'>,
  { again, target }: { again: string; target: string },
): Html {
  const asking = html`hx-get="${again}" hx-target="#${target}" hx-swap="outerHTML"`;
  if (visit.isOff('push')) return html`${asking} hx-trigger="every 2s"`;
  return html`${asking} data-listen="${place.merchant_uuid}" hx-trigger="told, every 8s"`;
}
