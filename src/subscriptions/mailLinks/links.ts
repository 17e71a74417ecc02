import { seal, unseal } from '../../adapters/sealing';
import { baseUrl } from '../../adapters/settings';
import { type MailLinks } from '../../mail/mailValues';
import { type Subscription } from '../subscriptions.model';

/**
 * Links in mails that work without a password. A link serves one purpose for one subscription, and is valid for seven
 * days. It contains the state that it was made for: once the state has changed, the link does nothing.
 */

const kinds = {
  pay: { purpose: 'payment link', path: 'payments/pay' },
  card: { purpose: 'card link', path: 'payments/card' },
  keep: { purpose: 'keep link', path: 'subscriptions/keep' },
} as const;

export type LinkKind = keyof typeof kinds;

const validMs = 7 * 86_400_000;

/** Pays for a billing cycle. */
export const payUrl = ({ id, cycle }: Pick<Subscription, 'id' | 'cycle'>) => linkTo('pay', id, cycle);

/** Replaces the card. */
export const cardUrl = ({ id, cardId }: Pick<Subscription, 'id' | 'cardId'>) => linkTo('card', id, cardId ?? 0);

/** Undoes the cancellation that was made at this time. */
export const keepUrl = ({ id }: Pick<Subscription, 'id'>, canceledAt: Date) => linkTo('keep', id, canceledAt.getTime());

function linkTo(kind: LinkKind, subscriptionId: number, state: number): string {
  const { purpose, path } = kinds[kind];
  const content = [subscriptionId, state, Date.now() + validMs].join(':');
  return `${baseUrl}/${path}/${seal(purpose, content).toString('base64url')}`;
}

export interface MailLink {
  subscriptionId: number;
  /** The billing cycle, the id of the card, or the time of the cancellation. */
  state: number;
  isExpired: boolean;
}

/** Undefined if the link is not valid, or has another purpose. */
export function readMailLink(kind: LinkKind, token: string): MailLink | undefined {
  const content = unseal(kinds[kind].purpose, Buffer.from(token, 'base64url'));
  if (content === undefined) return undefined;
  const [subscriptionId = NaN, state = NaN, expiresMs = NaN] = content.split(':').map(Number);
  return { subscriptionId, state, isExpired: Date.now() >= expiresMs };
}

/** The same values of a mail, with links that are valid from now on. */
export function renewMailLinks<Values extends MailLinks>(values: Values): Values {
  const renewed = { ...values };
  for (const kind of ['pay', 'card', 'keep'] as const) {
    const url = values[`${kind}Url`];
    if (url !== undefined) renewed[`${kind}Url`] = renew(kind, url);
  }
  return renewed;
}

function renew(kind: LinkKind, url: string): string {
  const link = readMailLink(kind, url.slice(url.lastIndexOf('/') + 1));
  return link ? linkTo(kind, link.subscriptionId, link.state) : url;
}
