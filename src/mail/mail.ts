import { Op } from 'sequelize';
import { type z } from 'zod';
import { merchantNow } from '../adapters/clock';
import { mailboxIsOpen, typeOfFile } from '../adapters/mailer';
import { type Transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { findPage } from '../adapters/postgres/totals';
import { type Caller } from '../kit/auth';
import { Answer } from '../kit/endpoint';
import { inParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import {
  findAttachmentPart,
  holdMails,
  insertAttachmentPart,
  insertMail,
  Mail,
  nobodysDomain,
  releaseMail,
  withdrawMail,
} from './mail.model';
import { presentMail } from './mail.presenter';
import { type MailboxQuery } from './mail.schemas';
import { isUrgent, usefulSeconds } from './lifetimes';
import { type MailTemplate, type MailValues } from './mailValues';
import { type MailDesign } from './templateParts';
import { type MailText, renderMail } from './templates';
import { getMailDesigns } from './texts/designs';

export { holdMails, releaseMail, withdrawMail };

export interface NewMail<T extends MailTemplate> {
  merchantId: number;
  /** The account that the mail is about. */
  accountId?: number;
  /** The `branding_id` of the request. If no brand has this id, the default brand is used. */
  brandingId?: number | null | undefined;
  /** Absent: the language of the account, else of the merchant's account, else English. */
  language?: string;
  /** Another account whose language the mail has. */
  languageOf?: number;
  /** A stored address, never one that a stranger typed. */
  to: string;
  template: T;
  values: MailValues[T];
  /** The earliest delivery, in the merchant's time. */
  notBefore?: Date;
  /** The whole mail is deleted once it was delivered or is useless. */
  isForgotten?: true;
}

/** A file to attach, in parts, because it may be too large for the memory. */
export interface NewAttachment {
  name: string;
  parts: AsyncIterable<string>;
}

const sealingPurpose = 'mail';
const attachmentPurpose = 'mail attachment';

/**
 * Queues a mail in the transaction of the change that it reports. After the commit it is delivered, or stored for the
 * test mailbox. It may arrive twice with the same Message-ID if a process ends at the wrong moment. A mail to an erased
 * account or address is skipped without an error, so that it does not stop the change. Returns the mail's id.
 */
export async function queueMail<T extends MailTemplate>(
  inTransaction: Transaction,
  mail: NewMail<T>,
  attachment?: NewAttachment,
): Promise<number | undefined> {
  if (mail.to === '' || mail.to.endsWith(`@${nobodysDomain}`)) return undefined;
  const mailId = await insertMail(inTransaction, {
    merchantId: mail.merchantId,
    accountId: mail.accountId ?? null,
    brandingId: mail.brandingId ?? null,
    recipient: mail.to,
    language: mail.language ?? null,
    languageOf: mail.languageOf ?? mail.accountId ?? null,
    template: mail.template,
    sealedValues: seal(sealingPurpose, JSON.stringify(mail.values)),
    usefulUntil: new Date(Math.max(Date.now(), mail.notBefore?.getTime() ?? 0) + usefulSeconds[mail.template] * 1000),
    notBefore: mail.notBefore ?? null,
    attachmentName: attachment?.name ?? null,
    isForgotten: mail.isForgotten ?? false,
    isUrgent: isUrgent(mail.template),
  });
  if (!attachment) return mailId;
  let place = 0;
  for await (const text of attachment.parts)
    await insertAttachmentPart(inTransaction, { mailId, place: place++, sealedText: seal(attachmentPurpose, text) });
  return mailId;
}

/** A mail's attachment in parts. Throws if it was sealed with another key. */
export async function* readAttachment(mailId: number): AsyncGenerator<string> {
  for (let place = 0; ; place += 1) {
    const part = await findAttachmentPart(mailId, place);
    if (part === undefined) return;
    const text = unseal(attachmentPurpose, part);
    if (text === undefined) throw new Error('an attachment is sealed with another key');
    yield text;
  }
}

/** The subject and time of an account's mails, oldest first. Delivered mails have no other content. */
export async function listMailsOf(account: { id: number; merchantId: number }, inTransaction: Transaction) {
  const where = { accountId: account.id };
  const mails = await Mail.findAll({ where, order: ['id'], transaction: inTransaction });
  const designOf = await getMailDesigns(account.merchantId, mails);
  return mails.map((mail) => ({
    subject: mail.subject ?? readMail(mail, designOf(mail))?.subject ?? mail.template,
    created_at: mail.createdAt,
    sent_at: mail.sentAt,
  }));
}

/** The values of a queued mail; undefined if it is delivered or was sealed with another key. */
export function readValues({ sealedValues }: Pick<Mail, 'sealedValues'>): MailValues[MailTemplate] | undefined {
  const values = sealedValues === null ? undefined : unseal(sealingPurpose, sealedValues);
  // The row was written by `queueMail`: its types connect the values with the template, and know the languages.
  return values === undefined ? undefined : (JSON.parse(values) as MailValues[MailTemplate]);
}

/** The content of a queued mail; undefined as in `readValues`. */
export function readMail(mail: Pick<Mail, 'template' | 'sealedValues'>, design: MailDesign): MailText | undefined {
  const values = readValues(mail);
  return values && renderMail(mail.template as MailTemplate, values, design);
}

/** The whole attachment of a mail in the test mailbox. */
export async function getTestAttachment(caller: Caller, mailId: number): Promise<Answer<string>> {
  const where = { id: mailId, merchantId: caller.merchantId, attachmentName: { [Op.ne]: null } };
  const mail = mailboxIsOpen ? await Mail.findOne({ where }) : null;
  if (!mail) throw new AppError('not_found');
  let text = '';
  for await (const part of readAttachment(mail.id)) text += part;
  return new Answer(text, { contentType: typeOfFile(mail.attachmentName ?? '') });
}

/** One mail of the test mailbox, as its reader would receive it. */
export async function getTestMail({ merchantId }: Caller, mailId: number) {
  const mail = mailboxIsOpen ? await Mail.findOne({ where: { id: mailId, merchantId } }) : null;
  if (!mail) throw new AppError('not_found');
  const designOf = await getMailDesigns(merchantId, [mail]);
  return presentMail(mail, readMail(mail, designOf(mail)));
}

/**
 * The merchant's mails in the test environment, newest first. An installation with a mail server has no test mailbox.
 */
export async function listTestMailbox(caller: Caller, query: z.output<typeof MailboxQuery>) {
  if (!mailboxIsOpen) throw new AppError('not_found');
  const { page, limit, offset } = pageRange(query);
  const key = `mails ${JSON.stringify([caller.merchantId, query.to])}`;
  const { rows, total } = await findPage(Mail, key, {
    where: await inMailbox(caller, query.to),
    order: [['id', 'DESC']],
    limit,
    offset,
  });
  return { total, page, offset, limit, collection: await presentAll(caller, rows) };
}

/** The same list in parts, for callers that read all of it. */
export async function readTestMailbox(caller: Caller, to: string | undefined) {
  if (!mailboxIsOpen) throw new AppError('not_found');
  const where = await inMailbox(caller, to);
  const read = async (limit: number, after: number | undefined) => {
    const place = after === undefined ? {} : { id: { [Op.lt]: after } };
    return presentAll(caller, await Mail.findAll({ where: { ...where, ...place }, order: [['id', 'DESC']], limit }));
  };
  return inParts(read, ({ id }) => id);
}

async function inMailbox({ merchantId }: Caller, recipient: string | undefined) {
  const isDue = { [Op.or]: [null, { [Op.lte]: await merchantNow(merchantId) }] };
  return { merchantId, notBefore: isDue, ...(recipient !== undefined && { recipient }) };
}

async function presentAll({ merchantId }: Caller, rows: readonly Mail[]) {
  const designOf = await getMailDesigns(merchantId, rows);
  return rows.map((row) => presentMail(row, readMail(row, designOf(row))));
}
