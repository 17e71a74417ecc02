import { type Attributes } from 'sequelize';
import {
  boolean,
  bytes,
  defaulted,
  integer,
  modelOf,
  nullable,
  serial,
  text,
  time,
  uuid,
} from '../adapters/postgres/columns';
import { sequelize, type Transaction } from '../adapters/postgres/connection';
import { execute, statement } from '../adapters/postgres/statement';

/** The domain of the addresses of erased accounts. It does not exist. */
export const nobodysDomain = 'erased.invalid';

export class Mail extends modelOf({
  id: serial(),
  messageId: defaulted(uuid()),
  merchantId: integer(),
  accountId: nullable(integer()),
  /** The requested brand, if it exists. */
  brandingId: nullable(integer()),
  recipient: text(),
  template: text(),
  language: defaulted(text()),
  /** The values of the template, sealed; null once the mail is delivered. */
  sealedValues: nullable(bytes()),
  /** The subject of the delivered mail. */
  subject: nullable(text()),
  attachmentName: nullable(text()),
  /** The row is deleted after the delivery, because its reader is to be forgotten. */
  isForgotten: defaulted(boolean()),
  attempts: defaulted(integer()),
  usefulUntil: time(),
  /** In the merchant's time. */
  notBefore: nullable(time()),
  isUrgent: defaulted(boolean()),
  sentAt: nullable(time()),
  /** When the program gave the mail up. */
  parkedAt: nullable(time()),
  lastError: nullable(text()),
  createdAt: defaulted(time()),
}) {}
Mail.init(Mail.columns, { sequelize, tableName: 'mails' });

/** A new mail. `language`: null for the language of the account `languageOf`, else of the merchant, else English. */
export type PromisedMail = Pick<
  Attributes<Mail>,
  | 'merchantId'
  | 'accountId'
  | 'brandingId'
  | 'recipient'
  | 'template'
  | 'sealedValues'
  | 'usefulUntil'
  | 'notBefore'
  | 'attachmentName'
  | 'isForgotten'
  | 'isUrgent'
> & { language: string | null; languageOf: number | null };

const enqueueStatement = statement<{ id: number }>(
  'mail_promise',
  `INSERT INTO mails (merchant_id, account_id, branding_id, recipient, template, sealed_values, useful_until, not_before,
     attachment_name, is_forgotten, is_urgent, language)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12,
     (SELECT language FROM accounts WHERE id = $13), (SELECT language FROM accounts WHERE id = $1), 'en'))
   RETURNING id`,
);

/** Returns the mail's id. A prepared statement, because the event of a payment waits for it. */
export async function insertMail(inTransaction: Transaction, mail: PromisedMail): Promise<number> {
  const { merchantId, accountId, brandingId, recipient, template, language, languageOf } = mail;
  const delivery = [
    mail.sealedValues,
    mail.usefulUntil,
    mail.notBefore,
    mail.attachmentName,
    mail.isForgotten,
    mail.isUrgent,
  ];
  const values = [merchantId, accountId, brandingId, recipient, template, ...delivery, language, languageOf];
  const [written] = await enqueueStatement(values, inTransaction);
  if (!written) throw new Error('a mail was not written');
  return written.id;
}

const withdrawStatement = statement<{ id: number }>(
  'mail_withdraw',
  `DELETE FROM mails WHERE id = $1 AND sent_at IS NULL AND not_before > merchant_now(merchant_id) RETURNING id`,
);

/** Withdraws a mail that waits for its day. False if that day has come, or if the mail was withdrawn before. */
export async function withdrawMail(inTransaction: Transaction, mailId: number): Promise<boolean> {
  return (await withdrawStatement([mailId], inTransaction)).length > 0;
}

const releaseStatement = statement(
  'mail_release',
  'UPDATE mails SET not_before = NULL WHERE id = $1 AND sent_at IS NULL',
);

/** A mail that waits is due now. */
export async function releaseMail(mailId: number): Promise<void> {
  await releaseStatement([mailId]);
}

/** Waiting mails of merchants that have moved are never looked at again: the other installation has their copies. */
export async function holdMails(inTransaction: Transaction, merchantIds: readonly number[]): Promise<void> {
  const text = `UPDATE mails SET available_at = 'infinity'
    WHERE merchant_id = ANY($1::int[]) AND sent_at IS NULL AND parked_at IS NULL`;
  await execute(inTransaction, text, [merchantIds]);
}

const partStatement = statement<{ sealed_text: Buffer }>(
  'mail_attachment_part',
  'SELECT sealed_text FROM mail_attachment_parts WHERE mail_id = $1 AND place = $2',
);

/** One part of a mail's attachment, sealed; undefined after the last part. */
export async function findAttachmentPart(mailId: number, place: number): Promise<Buffer | undefined> {
  const [part] = await partStatement([mailId, place]);
  return part?.sealed_text;
}

export async function insertAttachmentPart(
  inTransaction: Transaction,
  part: { mailId: number; place: number; sealedText: Buffer },
): Promise<void> {
  await execute(inTransaction, 'INSERT INTO mail_attachment_parts (mail_id, place, sealed_text) VALUES ($1, $2, $3)', [
    part.mailId,
    part.place,
    part.sealedText,
  ]);
}

/** The budget of a merchant's mails on one day. */
export interface MailBudget {
  /** The master of a follower, whose budget it uses. */
  senderId: number;
  limit: number;
  used: number;
  securityUsed: number;
  /** Mails that wait for the budget of a later day. */
  waiting: number;
  refusedLately: number;
  isGood: boolean;
}
