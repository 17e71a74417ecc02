import { logger } from '../../adapters/logger';
import { mailServerIsSet, MailRefusal, sendLetter } from '../../adapters/mailer/transport';
import { statement } from '../../adapters/postgres/statement';
import { readMail } from '../service';

/** Longer than the mail server's time-outs together: nobody else takes a mail that is still on its way. */
const leaseSeconds = 120;
const batchSize = 10;
const longestDelaySeconds = 600;

interface MailRow {
  id: number;
  message_id: string;
  recipient: string;
  template: string;
  sealed_values: Buffer | null;
  brand_name: string;
  is_useful: boolean;
}

const leaseStatement = statement<MailRow>(
  'mails_lease',
  `WITH leased AS (
     UPDATE mails SET available_at = now() + make_interval(secs => $1)
     WHERE id IN (SELECT id FROM mails WHERE sent_at IS NULL AND parked_at IS NULL AND available_at <= now()
       ORDER BY available_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING *
   )
   SELECT l.id, l.message_id, l.recipient, l.template, l.sealed_values, a.full_name AS brand_name,
     l.useful_until > now() AS is_useful
   FROM leased l JOIN accounts a ON a.id = l.merchant_id`,
);
const sentStatement = statement('mails_sent', 'UPDATE mails SET sent_at = now(), sealed_values = NULL WHERE id = $1');
const parkedStatement = statement(
  'mails_parked',
  'UPDATE mails SET parked_at = now(), last_error = $2, sealed_values = NULL WHERE id = $1',
);
const failedStatement = statement(
  'mails_failed',
  `UPDATE mails SET attempts = attempts + 1, last_error = $2,
     available_at = now() + least(power(2, least(attempts, 20)), $3) * interval '1 second'
   WHERE id = $1`,
);

/**
 * Gives waiting mails to the mail server, a batch at a time. A lease keeps replicas off each other's mails; a server that
 * is away is tried again until the mail is of no use to anybody. What a mail said is gone once its story has ended.
 */
export async function deliverMails(): Promise<void> {
  if (!mailServerIsSet) return;
  const rows = await leaseStatement([leaseSeconds, batchSize]);
  await Promise.all(rows.map(deliver));
}

async function deliver(row: MailRow): Promise<void> {
  if (!row.is_useful) return park(row, 'too late');
  const content = readMail(row.template, row.sealed_values, row.brand_name);
  if (!content) return park(row, 'sealed with another key');
  try {
    await sendLetter({ ...content, messageId: row.message_id, to: row.recipient, fromName: row.brand_name });
    await sentStatement([row.id]);
  } catch (error) {
    if (!(error instanceof MailRefusal)) throw error;
    if (error.isFinal) return park(row, error.reason);
    logger.warn({ mailId: row.id, reason: error.reason }, 'a mail was not taken, and is tried again');
    await failedStatement([row.id, error.reason, longestDelaySeconds]);
  }
}

async function park(row: MailRow, reason: string): Promise<void> {
  logger.warn({ mailId: row.id, reason }, 'a mail is given up');
  await parkedStatement([row.id, reason]);
}
