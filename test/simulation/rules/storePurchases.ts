import { type Books } from '../books';
import { type Recorded } from '../history';
import { type Attempts, operationsOf } from '../operations';
import { type Found } from './violation';

/**
 * A purchase of an app store opens one access for one account, however often and by whom it is presented. After the account
 * is erased, the purchase is free for another one. Each accepted claim is decided.
 */
export function checkStorePurchases(history: readonly Recorded[], { claims, accounts }: Books): Found[] {
  const asked = operationsOf(history).filter(({ what }) => what === 'present');
  const erased = new Set(accounts.filter(({ isErased }) => isErased).map(({ accountUuid }) => accountUuid));
  const byToken = new Map(claims.map((claim) => [claim.token, claim]));
  const lost = asked.flatMap(({ accepted, lines }) => {
    if (!accepted) return [];
    const token = accepted.body.external_payment_id ?? 'nothing';
    const state = byToken.get(token)?.state;
    if (!state) return [{ what: `the claim ${token} was accepted, and does not exist`, lines }];
    return state === 'pending' ? [{ what: `the claim ${token} was accepted, and is not decided`, lines }] : [];
  });
  const unopened = [...Map.groupBy(asked, ({ fields }) => String(fields['purchase']))].flatMap(([purchase, all]) => {
    const own = claimsOf(all, byToken);
    const opened = own.filter(({ state }) => state === 'succeeded');
    const lines = all.flatMap((one) => one.lines);
    const holders = new Set(opened.map(({ accountUuid }) => accountUuid).filter((uuid) => !erased.has(uuid)));
    const isExcused = all.some(({ accepted }) => !accepted) || own.some((claim) => erased.has(claim.accountUuid));
    return [
      ...(holders.size > 1 ? [{ what: `the store purchase ${purchase} opened ${holders.size} accounts`, lines }] : []),
      ...(opened.length === 0 && own.length > 0 && !isExcused
        ? [{ what: `the store purchase ${purchase} was paid, and opened nothing`, lines }]
        : []),
    ];
  });
  const wrong = claims
    .filter(({ state, accesses }) => state === 'succeeded' && accesses !== 1)
    .map(({ token, accesses }) => ({ what: `the claim ${token} has succeeded, with ${accesses} accesses`, lines: [] }));
  return [...lost, ...unopened, ...wrong];
}

function claimsOf(all: readonly Attempts[], byToken: ReadonlyMap<string, Books['claims'][number]>) {
  const tokens = new Set(all.map(({ accepted }) => accepted?.body.external_payment_id));
  return [...tokens].flatMap((token) => byToken.get(token ?? '') ?? []);
}
