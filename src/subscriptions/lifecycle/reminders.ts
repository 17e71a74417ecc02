import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/mail';
import { quoteDue } from '../balances/balances';
import { cardUrl } from '../mailLinks/links';
import { Subscription } from '../subscriptions.model';
import { purchaseOf } from './periods';
import { listDueReminders, noteReminder, type DueReminder } from './reminders.model';
import { upcomingCharge } from './upcoming';

/** The number of rows per query. */
const pageSize = 500;

/**
 * Sends mails to customers whose card expires soon, and before a renewal if the merchant has turned that on. Each mail
 * is sent once. The call is hourly, so a mail is at most an hour late. Returns the number of mails.
 */
export async function sendReminders(): Promise<number> {
  let sent = 0;
  for (let afterId = 0; ;) {
    const due = await listDueReminders(afterId, pageSize);
    for (const reminder of due) if (await trySend(reminder)) sent += 1;
    const last = due.at(-1);
    if (!last || due.length < pageSize) return sent;
    // If a subscription's second reminder did not fit into the page, the next run sends it.
    afterId = last.subscriptionId;
  }
}

/** A reminder that cannot be sent does not stop the others. The next run repeats it. */
async function trySend(reminder: DueReminder): Promise<boolean> {
  try {
    return await send(reminder);
  } catch (error) {
    const { subscriptionId, kind } = reminder;
    logger.error({ subscriptionId, kind, reason: (error as Error).message }, 'a reminder could not be sent');
    return false;
  }
}

function send(reminder: DueReminder): Promise<boolean> {
  const { subscriptionId, kind, email: to, description, lastFour: digits, at } = reminder;
  return transaction(async (inTransaction) => {
    const locked = { rejectOnEmpty: true, transaction: inTransaction, lock: inTransaction.LOCK.SHARE } as const;
    const row = await Subscription.findByPk(subscriptionId, locked);
    if (!(await noteReminder(inTransaction, reminder))) return false;
    const { merchantId, accountId, brandingId } = row;
    const { chargeMinor } = await quoteDue(row, await upcomingCharge(row.get(), at, inTransaction), inTransaction);
    const values = { ...purchaseOf(row, description, chargeMinor), date: at.toISOString() };
    const mail = { merchantId, accountId, brandingId, to };
    if (kind === 'renewal') await queueMail(inTransaction, { ...mail, template: 'renewal_reminder', values });
    else {
      // The last day of a card is the same in every time zone.
      const date = at.toISOString().slice(0, 10);
      const ofCard = { ...values, date, digits, cardUrl: cardUrl(row) };
      await queueMail(inTransaction, { ...mail, template: 'card_expires', values: ofCard });
    }
    return true;
  });
}
