import { type z } from 'zod';
import {
  type MailTemplate,
  type MailText,
  type MailValues,
  renderMail,
  usefulSeconds,
} from '../adapters/mailer/templates';
import { mailboxIsOpen } from '../adapters/mailer/transport';
import { type Transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import { Mail } from './model';
import { presentMail } from './presenter';
import { type MailboxQuery } from './schemas';

export interface NewMail<T extends MailTemplate> {
  merchantId: number;
  /** Whom it is about, when that is an account. */
  accountId?: number;
  /** An address that is stored, never one that a stranger typed. */
  to: string;
  template: T;
  values: MailValues[T];
}

const sealingPurpose = 'mail';

/**
 * Promises a mail in the transaction of the change that it tells of. After the commit it is delivered, or kept for the
 * test mailbox. It may arrive twice when a process dies at the wrong moment, with one Message-ID.
 */
export async function queueMail<T extends MailTemplate>(inTransaction: Transaction, mail: NewMail<T>): Promise<void> {
  await Mail.create(
    {
      merchantId: mail.merchantId,
      accountId: mail.accountId ?? null,
      recipient: mail.to,
      template: mail.template,
      sealedValues: seal(sealingPurpose, JSON.stringify(mail.values)),
      usefulUntil: new Date(Date.now() + usefulSeconds[mail.template] * 1000),
    },
    { transaction: inTransaction },
  );
}

/** What a queued mail says. Undefined when nobody can read it any more: it is delivered, or was sealed elsewhere. */
export function readMail(template: string, sealedValues: Buffer | null, brandName: string): MailText | undefined {
  const values = sealedValues === null ? undefined : unseal(sealingPurpose, sealedValues);
  if (values === undefined) return undefined;
  // The row was written by `queueMail`, whose types tied the values to the template.
  return renderMail(template as MailTemplate, JSON.parse(values) as MailValues[MailTemplate], brandName);
}

/** The merchant's mails in the test environment, newest first. Where a mail server is set there is no such thing. */
export async function listTestMailbox(caller: Caller, query: z.output<typeof MailboxQuery>) {
  if (!mailboxIsOpen) throw new AppError('not_found');
  const { page, limit, offset } = pageRange(query);
  const { rows, count } = await Mail.findAndCountAll({
    where: { merchantId: caller.merchantId, ...(query.to !== undefined && { recipient: query.to }) },
    include: 'merchant',
    order: [['id', 'DESC']],
    limit,
    offset,
  });
  const collection = rows.map((row) =>
    presentMail(row, readMail(row.template, row.sealedValues, row.merchant?.fullName ?? '')),
  );
  return { total: count, page, offset, limit, collection };
}
