import { Op } from 'sequelize';
import { type z } from 'zod';
import { type MailBrand } from '../adapters/mailer/layout';
import {
  type MailTemplate,
  type MailText,
  type MailValues,
  renderMail,
  usefulSeconds,
} from '../adapters/mailer/templates';
import { merchantNow } from '../adapters/clock';
import { mailboxIsOpen, typeOfFile } from '../adapters/mailer/transport';
import { type Transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { findPage } from '../adapters/postgres/totals';
import { getMailBrands } from '../branding/service';
import { type Caller } from '../kit/auth';
import { Answer } from '../kit/endpoint';
import { inParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import { findAttachmentPart, insertAttachmentPart, insertMail, Mail, nobodysDomain, withdrawMail } from './model';
import { presentMail } from './presenter';
import { type MailboxQuery } from './schemas';

export { withdrawMail };

export interface NewMail<T extends MailTemplate> {
  merchantId: number;
  /** Whom it is about, when that is an account. */
  accountId?: number;
  /** The `branding_id` of the request, which need not name a brand: the default one serves then. */
  brandingId?: number | null | undefined;
  /** An address that is stored, never one that a stranger typed. */
  to: string;
  template: T;
  values: MailValues[T];
  /** Not delivered earlier, in the merchant's time. */
  notBefore?: Date;
  /** Nothing of the mail is kept once it is delivered, or of no use any more. */
  isForgotten?: true;
}

/** A file that a mail carries, given piece by piece: it may be larger than memory should be. */
export interface NewAttachment {
  name: string;
  parts: AsyncIterable<string>;
}

const sealingPurpose = 'mail';
const attachmentPurpose = 'mail attachment';

/**
 * Promises a mail in the transaction of the change that it tells of. After the commit it is delivered, or kept for the
 * test mailbox. It may arrive twice when a process dies at the wrong moment, with one Message-ID. To an erased account
 * nobody writes: what goes on without it is not held up by that. Answers the mail's id.
 */
export async function queueMail<T extends MailTemplate>(
  inTransaction: Transaction,
  mail: NewMail<T>,
  attachment?: NewAttachment,
): Promise<number | undefined> {
  if (mail.to.endsWith(`@${nobodysDomain}`)) return undefined;
  const mailId = await insertMail(inTransaction, {
    merchantId: mail.merchantId,
    accountId: mail.accountId ?? null,
    brandingId: mail.brandingId ?? null,
    recipient: mail.to,
    template: mail.template,
    sealedValues: seal(sealingPurpose, JSON.stringify(mail.values)),
    usefulUntil: new Date(Math.max(Date.now(), mail.notBefore?.getTime() ?? 0) + usefulSeconds[mail.template] * 1000),
    notBefore: mail.notBefore ?? null,
    attachmentName: attachment?.name ?? null,
    isForgotten: mail.isForgotten ?? false,
  });
  if (!attachment) return mailId;
  let place = 0;
  for await (const text of attachment.parts)
    await insertAttachmentPart(inTransaction, { mailId, place: place++, sealedText: seal(attachmentPurpose, text) });
  return mailId;
}

/** What a mail carries, piece by piece. Throws for what was sealed elsewhere. */
export async function* readAttachment(mailId: number): AsyncGenerator<string> {
  for (let place = 0; ; place += 1) {
    const part = await findAttachmentPart(mailId, place);
    if (part === undefined) return;
    const text = unseal(attachmentPurpose, part);
    if (text === undefined) throw new Error('an attachment is sealed with another key');
    yield text;
  }
}

/** The subject and time of an account's mails, oldest first: what is left of those that were delivered. */
export async function listMailsOf(account: { id: number; merchantId: number }, inTransaction: Transaction) {
  const where = { accountId: account.id };
  const mails = await Mail.findAll({ where, order: ['id'], transaction: inTransaction });
  const brandOf = await getMailBrands(
    account.merchantId,
    mails.map(({ brandingId }) => brandingId),
  );
  return mails.map(({ subject, template, sealedValues, brandingId, createdAt, sentAt }) => ({
    subject: subject ?? readMail(template, sealedValues, brandOf(brandingId))?.subject ?? template,
    created_at: createdAt,
    sent_at: sentAt,
  }));
}

/** What a queued mail says. Undefined when nobody can read it any more: it is delivered, or was sealed elsewhere. */
export function readMail(template: string, sealedValues: Buffer | null, brand: MailBrand): MailText | undefined {
  const values = sealedValues === null ? undefined : unseal(sealingPurpose, sealedValues);
  if (values === undefined) return undefined;
  // The row was written by `queueMail`, whose types tied the values to the template.
  return renderMail(template as MailTemplate, JSON.parse(values) as MailValues[MailTemplate], brand);
}

/** What a mail in the test mailbox carries, whole. */
export async function getTestAttachment(caller: Caller, mailId: number): Promise<Answer<string>> {
  const where = { id: mailId, merchantId: caller.merchantId, attachmentName: { [Op.ne]: null } };
  const mail = mailboxIsOpen ? await Mail.findOne({ where }) : null;
  if (!mail) throw new AppError('not_found');
  let text = '';
  for await (const part of readAttachment(mail.id)) text += part;
  return new Answer(text, { contentType: typeOfFile(mail.attachmentName ?? '') });
}

/** One mail of the test mailbox, as its reader would get it. */
export async function getTestMail({ merchantId }: Caller, mailId: number) {
  const mail = mailboxIsOpen ? await Mail.findOne({ where: { id: mailId, merchantId } }) : null;
  if (!mail) throw new AppError('not_found');
  const brandOf = await getMailBrands(merchantId, [mail.brandingId]);
  return presentMail(mail, readMail(mail.template, mail.sealedValues, brandOf(mail.brandingId)));
}

/** The merchant's mails in the test environment, newest first. Where a mail server is set there is no such thing. */
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

/** The same list in parts: for who reads all of it. */
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
  const brandOf = await getMailBrands(
    merchantId,
    rows.map(({ brandingId }) => brandingId),
  );
  return rows.map((row) => presentMail(row, readMail(row.template, row.sealedValues, brandOf(row.brandingId))));
}
