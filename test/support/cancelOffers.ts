import { type z } from 'zod';
import { type CancelOfferList, type ShownOffer } from '../../src/subscriptions/cancelOffers/cancelOffers.schemas';
import { call, type Reply, requestChange } from './client';
import { type Person } from './factories';
import { type SubscriptionScenario } from './scenarios';
import { type TestApp } from './startApp';

export type Shown = z.output<typeof ShownOffer>;
export type Offer = z.output<typeof CancelOfferList>['collection'][number];

export const half = { kind: 'discount', percent: 50, charges: 2 };

export function createOffer(app: Pick<TestApp, 'address'>, merchant: Person, fields: Record<string, unknown> = half) {
  return call<{ id: number; errors: Record<string, string> }>(app, 'POST', '/v2/cancel-offers', fields, merchant);
}

export async function listOffers(app: Pick<TestApp, 'address'>, merchant: Person): Promise<Offer[]> {
  const list = await call<z.output<typeof CancelOfferList>>(app, 'GET', '/v2/cancel-offers', undefined, merchant);
  return list.body.collection;
}

const pathOf = (id: string) => `/v2/subscriptions/${id}/cancel-offer`;

/** The customer is about to cancel. */
export const askOffer = ({ id, send }: SubscriptionScenario, fields: Record<string, unknown> = {}) =>
  send('POST', pathOf(id), fields) as Promise<Reply<Shown>>;

/** Accepts an offer. */
export function acceptOffer(
  app: Pick<TestApp, 'address'>,
  { id, shop }: SubscriptionScenario,
  offerId: number,
): Promise<Reply<{ error?: string; message: string }>> {
  return requestChange(app, 'POST', `${pathOf(id)}/accept`, { offer_id: offerId }, shop.consumer);
}
