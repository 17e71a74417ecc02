import { type Books } from '../books';
import { type Found } from './violation';

const fault = (what: string): Found => ({ what, lines: [] });

/**
 * The rules after the restore of an older backup. Each payment at the provider is found again. No period is charged twice.
 * Erased accounts stay erased. No work is left. Purchases after the backup may be missing, and so may their events, mails
 * and documents. `unmatched`: the keys of payments that their merchants see as unmatched.
 */
export function checkRestored(before: Books, after: Books, unmatched: readonly string[]): Found[] {
  return [
    ...lostMoney(after, unmatched),
    ...unknownRefunds(after, unmatched),
    ...chargedAgain(after),
    ...lostRows(before, after),
    ...livingAgain(before, after),
    ...after.journal.map((text) => fault(`the journal differs: ${text}`)),
    ...[...after.unsent, ...after.due].map((text) => fault(`${text} is left`)),
  ];
}

/** Each payment at the provider is a paid charge of the same amount, or is listed for the merchant. */
function lostMoney({ providerCharges, charges }: Books, unmatched: readonly string[]): Found[] {
  const paid = new Map(charges.filter(({ status }) => status === 'paid').map((charge) => [charge.key, charge]));
  return providerCharges.flatMap(({ key, reference, amountMinor }) => {
    const own = paid.get(key);
    if (!own) return unmatched.includes(key) ? [] : [fault(`nobody knows the payment ${key} of ${amountMinor}`)];
    if (own.reference === reference && own.amountMinor === amountMinor) return [];
    return [
      fault(`the payment ${key} of ${amountMinor} is in our books as ${own.reference ?? 'none'} of ${own.amountMinor}`),
    ];
  });
}

/** Each refund of a payment that our books have is in them too. */
function unknownRefunds({ providerRefunds, refunds }: Books, unmatched: readonly string[]): Found[] {
  const known = new Set(refunds.filter(({ state }) => state === 'refunded').map(({ reference }) => reference));
  return providerRefunds
    .filter(({ reference, chargeKey }) => !known.has(reference) && !unmatched.includes(chargeKey ?? ''))
    .map(({ key, amountMinor }) => fault(`our books do not have the refund ${key} of ${amountMinor}`));
}

/** One payment for each period, whatever was lost. The key of a charge names its subject, its cycle and its attempt. */
function chargedAgain({ providerCharges }: Books): Found[] {
  const periods = Map.groupBy(providerCharges, ({ key }) => key.split(':').slice(0, 2).join(' cycle '));
  return [...periods]
    .filter(([, charges]) => charges.length > 1)
    .map(([period, charges]) => fault(`${period} was charged ${charges.length} times`));
}

/** What was paid before the backup is not among the losses. */
function lostRows(before: Books, after: Books): Found[] {
  const tokens = new Set([...after.subscriptions, ...after.payments].map(({ token }) => token));
  const charged = after.charges.filter(({ status }) => status === 'paid').map(({ subject }) => subject);
  const known = new Set([...before.subscriptions, ...before.payments].map(({ token }) => token));
  return [...new Set(charged)]
    .filter((subject) => !tokens.has(subject) || !known.has(subject))
    .map((subject) => fault(`${subject} has a paid charge, and no purchase`));
}

function livingAgain(before: Books, after: Books): Found[] {
  const erased = new Set(before.accounts.filter(({ isErased }) => isErased).map(({ accountUuid }) => accountUuid));
  return after.accounts
    .filter(({ accountUuid, isErased, personalRows }) => erased.has(accountUuid) && (!isErased || personalRows > 0))
    .map(({ accountUuid, personalRows }) => fault(`the erased account ${accountUuid} has ${personalRows} rows again`));
}
