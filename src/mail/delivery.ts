import { logger } from '../adapters/logger';
import { mailServerIsSet, MailRefusal, sendLetter } from '../adapters/mailer';
import { isHere } from '../adapters/postgres/moving';
import { statement } from '../adapters/postgres/statement';
import { countMail } from '../adapters/processMetrics';
import { admitMail, countRefusal } from './budgets';
import { findDocument } from './documents';
import { readAttachment, readValues } from './mail';
import { renewValues } from './renewals';
import { replacedByNewer, tooLate, unreadable } from './undelivered.model';
import { type MailTemplate, type MailValues } from './mailValues';
import { renderMail } from './templates';
import { getMailDesigns } from './texts/designs';

/** Longer than all time-outs of the mail server together, so that no other replica takes a mail that is being sent. */
const leaseSeconds = 120;
const batchSize = 10;
const longestDelaySeconds = 600;
/** How often a mail of a closed merchant is looked at again. */
const heldSeconds = 300;

interface MailRow {
  id: number;
  message_id: string;
  recipient: string;
  template: string;
  language: string;
  sealed_values: Buffer | null;
  merchant_id: number;
  account_id: number | null;
  branding_id: number | null;
  attachment_name: string | null;
  attempts: number;
  is_useful: boolean;
  /** The merchant waits for approval or is suspended: the mail waits. */
  is_held: boolean;
  /** The mail was counted in the budget of its merchant. */
  is_admitted: boolean;
  is_postponed: boolean;
}

/** Mails to the merchant itself are sent in every state of it. */
const isClosed = `mails.account_id IS DISTINCT FROM mails.merchant_id AND EXISTS (SELECT FROM merchant_states s
  WHERE s.merchant_id = mails.merchant_id AND (s.waiting_since IS NOT NULL OR s.suspended_at IS NOT NULL))`;

/** Security mails have their own part of each batch, so that no number of other mails delays them. */
const dueMails = (kind: string) => `SELECT id FROM mails
  WHERE ${kind} AND sent_at IS NULL AND parked_at IS NULL AND available_at <= now()
    AND (not_before IS NULL OR not_before <= merchant_now(merchant_id)) AND ${isHere('mails.merchant_id')}
  ORDER BY available_at, id LIMIT $2 FOR UPDATE SKIP LOCKED`;

const leaseStatement = statement<MailRow>(
  'mails_lease',
  `WITH urgent AS (${dueMails('is_urgent')}), others AS (${dueMails('NOT is_urgent')}), leased AS (
     UPDATE mails SET available_at = now() + make_interval(secs => CASE WHEN ${isClosed} THEN $3::float ELSE $1::float END)
     WHERE id IN (SELECT id FROM urgent UNION ALL SELECT id FROM others)
     RETURNING *, ${isClosed} AS is_held
   )
   SELECT id, message_id, merchant_id, account_id, branding_id, recipient, template, language, sealed_values,
     attachment_name, attempts, useful_until > now() AS is_useful, is_held, admitted_at IS NOT NULL AS is_admitted, is_postponed
   FROM leased ORDER BY is_urgent DESC, id`,
);
/** Deletes the content of a mail that was delivered or given up, and the whole row if its reader is to be forgotten. */
const ending = (change: string) =>
  `WITH forgotten AS (DELETE FROM mails WHERE id = $1 AND is_forgotten),
     emptied AS (DELETE FROM mail_attachment_parts WHERE mail_id = $1)
   UPDATE mails SET ${change}, sealed_values = NULL WHERE id = $1 AND NOT is_forgotten`;

const sentStatement = statement('mails_sent', ending('sent_at = now(), subject = $2'));
const parkedStatement = statement('mails_parked', ending('parked_at = now(), last_error = $2'));
const failedStatement = statement(
  'mails_failed',
  `UPDATE mails SET attempts = attempts + 1, last_error = $2,
     available_at = now() + least(power(2, least(attempts, 20)), $3) * interval '1 second'
   WHERE id = $1`,
);

/**
 * Passes waiting mails to the mail server in batches. A lease prevents two replicas from sending the same mail. While
 * the server is unavailable, it is tried again until the mail is useless to its reader. The content of a mail is
 * deleted once it was delivered or given up.
 */
export async function deliverMails(): Promise<void> {
  if (!mailServerIsSet) return;
  const rows = await leaseStatement([leaseSeconds, batchSize, heldSeconds]);
  await Promise.all(rows.map(deliver));
}

async function deliver(row: MailRow): Promise<void> {
  if (!row.is_useful) return park(row, tooLate);
  if (row.is_held || !(row.is_admitted || (await admitMail(row.id)))) return;
  const mail = { ...row, sealedValues: row.sealed_values };
  const sealed = readValues(mail);
  if (!sealed) return park(row, unreadable);
  const values = row.is_postponed ? await renew(row, sealed) : sealed;
  if (!values) return park(row, replacedByNewer);
  const document = await findDocument(row, values);
  if (document === 'later') return void (await failedStatement([row.id, 'no document', longestDelaySeconds]));
  const designed = { ...row, brandingId: row.branding_id };
  const design = (await getMailDesigns(row.merchant_id, [designed]))(designed);
  const content = renderMail(row.template as MailTemplate, values, design);
  try {
    const { attachment_name: name } = row;
    const file = name === null ? document : { name, parts: readAttachment(row.id) };
    const attachment = file ? { attachment: file } : {};
    const envelope = { messageId: row.message_id, to: row.recipient, fromName: design.brand.name };
    await sendLetter({ ...content, ...envelope, ...attachment });
    await sentStatement([row.id, content.subject]);
    countMail('sent');
  } catch (error) {
    if (!(error instanceof MailRefusal)) throw error;
    if (error.isFinal) {
      await countRefusal(row.id);
      return park(row, error.reason);
    }
    logger.warn({ mailId: row.id, reason: error.reason }, 'the mail server did not accept a mail; it is tried again');
    await failedStatement([row.id, error.reason, longestDelaySeconds]);
    countMail('retried');
  }
}

const renew = (row: MailRow, values: MailValues[MailTemplate]) =>
  renewValues(row.template as MailTemplate, values, { merchantId: row.merchant_id, accountId: row.account_id });

async function park(row: MailRow, reason: string): Promise<void> {
  logger.warn({ mailId: row.id, reason }, 'a mail was given up');
  await parkedStatement([row.id, reason]);
  countMail('given_up');
}
