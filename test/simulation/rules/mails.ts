import { type Books } from '../books';
import { type Recorded } from '../history';
import { type Found } from './violation';

/** Each payment, refund and gift has one mail, however often its step ran. An erasure deletes mails. */
export function checkMails(_: readonly Recorded[], { mails, accounts }: Books): Found[] {
  const erased = accounts.filter(({ isErased }) => isErased);
  const forgetful = new Set(erased.flatMap(({ accountUuid, merchantUuid }) => [accountUuid, merchantUuid]));
  return mails
    .filter(({ accountUuid, due, written }) => written > due || (written < due && !forgetful.has(accountUuid)))
    .map(({ accountUuid, what, due, written }) => ({
      what: `${written} ${what} were mailed to the customers of ${accountUuid}, not ${due}`,
      lines: [],
    }));
}
