import { type Books } from '../books';
import { type Recorded } from '../history';
import { type Found } from './violation';

/** Each payment, refund and gift has one mail, however often its step ran. */
export function checkMails(_: readonly Recorded[], { mails }: Books): Found[] {
  return mails
    .filter(({ due, written }) => due !== written)
    .map(({ accountUuid, what, due, written }) => ({
      what: `${written} ${what} were mailed to the customers of ${accountUuid}, not ${due}`,
      lines: [],
    }));
}
