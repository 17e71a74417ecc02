import type * as Nodemailer from 'nodemailer';
import { Readable } from 'node:stream';
import { type Transporter } from 'nodemailer';
import { config } from '../../config';
import { lazily } from '../../kit/lazily';
import { type MailText } from './templates';

export interface Letter extends MailText {
  /** One for every attempt, so that a mailbox can tell a second delivery from a second mail. */
  messageId: string;
  to: string;
  fromName: string;
  /** Read while the letter is sent. */
  attachment?: { name: string; parts: AsyncIterable<string> };
}

/** Why a server did not take a letter: a code, never its text, which may quote the address. */
export class MailRefusal extends Error {
  constructor(
    readonly reason: string,
    /** The server will never take it: trying again is of no use. */
    readonly isFinal: boolean,
  ) {
    super(reason);
    this.name = 'MailRefusal';
  }
}

const parallelMax = 5;
const patienceMs = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

const nodemailer = lazily<typeof Nodemailer>(require, 'nodemailer');
let transporter: Transporter | undefined;

/** Without a mail server (test environment) mails stay where they are kept, for the test mailbox (decisions 14). */
export const mailServerIsSet = config.SMTP_URL !== undefined;
export const mailboxIsOpen = !mailServerIsSet && config.ENVIRONMENT === 'test';
const senderAddress = config.MAIL_FROM ?? `no-reply@${new URL(config.BASE_URL).hostname}`;

export async function sendLetter(letter: Letter): Promise<void> {
  try {
    await connection().sendMail({
      messageId: `<${letter.messageId}@${senderAddress.split('@').at(-1) ?? ''}>`,
      from: { name: letter.fromName, address: senderAddress },
      to: { name: '', address: letter.to },
      subject: letter.subject,
      text: letter.text,
      html: letter.html,
      ...(letter.attachment && { attachments: [asAttachment(letter.attachment)] }),
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  } catch (error) {
    throw refusalOf(error);
  }
}

/** A file is a list, or what is stored of an account. */
export const typeOfFile = (name: string) => (name.endsWith('.csv') ? 'text/csv; charset=utf-8' : 'application/json');

function asAttachment({ name, parts }: NonNullable<Letter['attachment']>) {
  return { filename: name, contentType: typeOfFile(name), content: Readable.from(parts, { objectMode: false }) };
}

export function closeMailer(): void {
  transporter?.close();
  transporter = undefined;
}

function connection(): Transporter {
  transporter ??= nodemailer().createTransport({
    url: config.SMTP_URL,
    pool: true,
    maxConnections: parallelMax,
    ...patienceMs,
  });
  return transporter;
}

/** A 5xx reply is the server's last word on a letter (RFC 5321 4.2.1); without a reply it may only be away. */
function refusalOf(error: unknown): MailRefusal {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  const name = typeof code === 'string' ? code : 'EUNKNOWN';
  const isAboutUs = name === 'EAUTH' || name === 'ETLS';
  return new MailRefusal([name, status].filter(Boolean).join(' '), !isAboutUs && status !== undefined && status >= 500);
}
