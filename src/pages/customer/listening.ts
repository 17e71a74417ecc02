import { html, type Html } from '../../kit/html';
import { type CustomerVisit } from './entry';

/**
 * Attributes of what shows something that is under way: it asks for itself `again` at every event of the account, and now
 * and then besides; often where the merchant has turned `push` off, so that no event comes. `target`: the id of what the
 * answer takes the place of.
 */
export function listening(
  { visit, place }: Pick<CustomerVisit, 'visit' | 'place'>,
  { again, target }: { again: string; target: string },
): Html {
  const asking = html`hx-get="${again}" hx-target="#${target}" hx-swap="outerHTML"`;
  if (visit.isOff('push')) return html`${asking} hx-trigger="every 2s"`;
  return html`${asking} data-listen="${place.merchant_uuid}" hx-trigger="told, every 8s"`;
}
