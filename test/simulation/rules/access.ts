import { type Books } from '../books';
import { type Recorded } from '../history';
import { linesAbout } from '../operations';
import { type Found } from './violation';

const living = ['trialing', 'active', 'past_due'];
/** The last paid period of a canceled subscription may still run. A paused one keeps nothing. */
const mayHaveAccess = [...living, 'canceled'];

/** No unpaid access, and no paid period without access. */
export function checkAccess(history: readonly Recorded[], { subscriptions, payments, charges }: Books): Found[] {
  const paid = new Set(charges.filter(({ status }) => status === 'paid').map(({ subject }) => subject));
  const found: [string, string][] = [
    ...subscriptions
      .filter(({ state, openAccesses }) => living.includes(state) && openAccesses !== 1)
      .map(({ token, state, openAccesses }): [string, string] => [
        token,
        `is ${state} and has ${openAccesses} accesses`,
      ]),
    ...subscriptions
      .filter(({ state, openAccesses }) => !mayHaveAccess.includes(state) && openAccesses > 0)
      .map(({ token, state }): [string, string] => [token, `is ${state} and has access`]),
    ...subscriptions
      .filter(({ token, openAccesses }) => openAccesses > 0 && !paid.has(token))
      .map(({ token }): [string, string] => [token, 'has access without a payment']),
    ...payments
      .filter(({ state, isGift, accesses }) => accesses !== (state === 'paid' && !isGift ? 1 : 0))
      .map(({ token, state, accesses }): [string, string] => [token, `is ${state} and has given ${accesses} accesses`]),
    ...payments
      .filter(({ token, state, chargedMinor }) => state === 'paid' && chargedMinor > 0 && !paid.has(token))
      .map(({ token }): [string, string] => [token, 'is paid without a charge']),
  ];
  return found.map(([token, what]) => ({ what: `${token} ${what}`, lines: linesAbout(history, token) }));
}
