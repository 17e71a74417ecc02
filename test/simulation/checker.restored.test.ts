import { again, first } from './changes';
import { type Books } from './books';
import { createExample } from './example';
import { checkRestored } from './rules/restored';

/** The rules after an older backup of PostgreSQL was restored. */

type Change = (after: Books, unmatched: string[], before: Books) => void;

function faultsAfter(change: Change): string[] {
  const [before, after] = [createExample().books, createExample().books];
  const unmatched: string[] = [];
  change(after, unmatched, before);
  return checkRestored(before, after, unmatched).map(({ what }) => what);
}

/** The payment C-1 was made after the backup, so that the database has neither it nor its charge and refund. */
const lose = (after: Books) => {
  after.payments.pop();
  after.charges.pop();
  after.refunds.pop();
  first(after.providerRefunds, { chargeKey: 'C-1' });
};

test.each<[string, Change]>([
  ['nothing was lost', () => undefined],
  [
    'a payment of a lost purchase is listed for the merchant',
    (after, unmatched) => {
      lose(after);
      unmatched.push('C-1');
    },
  ],
  [
    'an account was erased before and after',
    (after, _, before) => {
      for (const { accounts } of [before, after]) first(accounts, { isErased: true, personalRows: 0 });
    },
  ],
  ['an account that was made after the backup is missing', (after) => after.accounts.splice(0)],
])('no violation: %s', (_, change) => expect(faultsAfter(change)).toEqual([]));

test.each<[string, Change]>([
  ['nobody knows the payment C-1 of 450', lose],
  [
    'our books do not have the refund R-1 of 450',
    (after) => {
      after.refunds.pop();
    },
  ],
  [
    'the payment C-1 of 450 is in our books as ch_2 of 449',
    ({ charges }) => Object.assign(charges[1] ?? {}, { amountMinor: 449 }),
  ],
  [
    'S-1 cycle 1 was charged 2 times',
    ({ providerCharges }, unmatched) => {
      first(providerCharges, { key: 'S-1:1:1' });
      again(providerCharges, 0, { key: 'S-1:1:2', reference: 'ch_9' });
      unmatched.push('S-1:1:1', 'S-1:1:2');
    },
  ],
  ['C-1 has a paid charge, and no purchase', ({ payments }) => payments.pop()],
  [
    'the erased account c has 3 rows again',
    (_after, _unmatched, before) => first(before.accounts, { isErased: true, personalRows: 0 }),
  ],
  ['the journal differs: cash', ({ journal }) => journal.push('cash')],
  ['S-1 is left', ({ due }) => due.push('S-1')],
])('%s', (fault, change) => expect(faultsAfter(change)).toContain(fault));
