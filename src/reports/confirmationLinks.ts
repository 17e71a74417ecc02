import { Op } from 'sequelize';
import { listOwnMailboxes } from '../accounts/mailboxes';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { isAtLimit } from '../adapters/postgres/limits';
import { seal, unseal } from '../adapters/sealing';
import { baseUrl } from '../adapters/settings';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { normalizeEmail } from '../kit/form';
import { queueMail } from '../mail/mail';
import { addressHashOf, auditAnswer, recipientsOf } from './recipients';
import {
  confirmQuestion,
  declineQuestion,
  dueQuestions,
  findOpenQuestion,
  forgetStop,
  insertQuestion,
  ReportRecipient,
} from './recipients.model';
import { type ReportSchedule } from './schedules.model';

/**
 * The question to a new recipient of scheduled reports: a mail with a link to a page with two buttons. A recipient who does
 * not answer gets no report. A link belongs to one question, and a later question replaces it.
 */

const purpose = 'report confirmation link';
const mostQuestions = 20;
const dayMs = 86_400_000;

interface Question {
  merchantId: number;
  hash: string;
  askedAt: Date;
}

/** Asks the recipients who are neither the merchant nor its staff, and who have not been asked lately. */
export async function askRecipients(
  inTransaction: Transaction,
  { merchantId, accountId }: Caller,
  schedule: ReportSchedule,
): Promise<void> {
  const recipients = recipientsOf(schedule);
  const own = await listOwnMailboxes(merchantId, inTransaction);
  const caller = own.find((mailbox) => mailbox.accountId === accountId);
  const isCaller = (recipient: string) => normalizeEmail(recipient) === caller?.address;
  if (caller && recipients.some(isCaller)) await forgetStop([merchantId, addressHashOf(caller.address)], inTransaction);
  const people = new Set(own.map(({ address }) => address));
  const strangers = recipients.filter((recipient) => !people.has(normalizeEmail(recipient)));
  const due = await dueQuestions([merchantId, strangers.map(addressHashOf)], inTransaction);
  const dueHashes = new Set(due.map(({ hash }) => hash));
  for (const to of strangers)
    if (dueHashes.has(addressHashOf(to))) await ask(inTransaction, { merchantId, to, language: schedule.language });
}

async function ask(
  inTransaction: Transaction,
  { merchantId, to, language }: { merchantId: number; to: string; language: string },
): Promise<void> {
  const askedAt = new Date();
  const where = { askedAt: { [Op.gt]: new Date(askedAt.getTime() - dayMs) } };
  if (await isAtLimit(ReportRecipient, { merchantId, max: mostQuestions, where }, inTransaction))
    throw new AppError('report_recipient_limit_reached');
  const question = { merchantId, hash: addressHashOf(to), askedAt };
  const asked = await insertQuestion([merchantId, question.hash, askedAt], inTransaction);
  if (asked.length === 0) return;
  const values = { url: confirmationUrl(question) };
  await queueMail(inTransaction, { merchantId, to, language, template: 'report_confirmation', values });
}

function confirmationUrl({ merchantId, hash, askedAt }: Question): string {
  const token = seal(purpose, [merchantId, hash, askedAt.getTime()].join(':'));
  return `${baseUrl}/reporting/confirm/${token.toString('base64url')}`;
}

/** Whether the question of a link can be answered. */
export async function isAnswerable(token: string): Promise<boolean> {
  const question = readQuestion(token);
  return question !== undefined && (await findOpenQuestion(keyOf(question))).length > 0;
}

/**
 * The recipient agrees to the scheduled reports of the merchant, or declines them. The last answer counts. Throws
 * `report_schedule_not_found` if the link is not valid, or too old.
 */
export async function answerQuestion(
  token: string,
  answer: 'confirm' | 'decline',
  request: RequestFacts,
): Promise<void> {
  const question = readQuestion(token);
  if (!question) throw new AppError('report_schedule_not_found');
  const [change, verb] =
    answer === 'confirm' ? ([confirmQuestion, 'confirm'] as const) : ([declineQuestion, 'stop'] as const);
  await transaction(async (inTransaction) => {
    const changed = await change(keyOf(question), inTransaction);
    if (changed.length === 0) throw new AppError('report_schedule_not_found');
    await auditAnswer(inTransaction, question, verb, request);
  });
}

function readQuestion(token: string): Question | undefined {
  const [merchantId, hash, askedAtMs] = unseal(purpose, Buffer.from(token, 'base64url'))?.split(':') ?? [];
  if (merchantId === undefined || hash === undefined || askedAtMs === undefined) return undefined;
  return { merchantId: Number(merchantId), hash, askedAt: new Date(Number(askedAtMs)) };
}

const keyOf = ({ merchantId, hash, askedAt }: Question) => [merchantId, hash, askedAt];
