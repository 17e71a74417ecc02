import type * as Nodemailer from 'nodemailer';
import { Readable } from 'node:stream';
import { type Transporter } from 'nodemailer';
import { config } from '../config';
import { lazily } from '../kit/lazily';

export interface Letter {
  subject: string;
  text: string;
  html: string;
  /** The same for each attempt, so that a mail program can recognise a repeated delivery. */
  messageId: string;
  to: string;
  fromName: string;
  attachment?: AttachedFile;
}

/** `parts` are read while the mail is sent. */
type AttachedFile = { name: string; parts: AsyncIterable<string> } | { name: string; bytes: Buffer };

/** Why a server did not accept a mail: a code, never the server's text, which may contain the address. */
export class MailRefusal extends Error {
  constructor(
    readonly reason: string,
    /** The server will never accept the mail: further tries are useless. */
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

/** Without a mail server (test environment) mails stay in the database, and the test mailbox shows them. */
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

/** A file is a CSV list, an invoice or a receipt, or the stored data of an account. */
export function typeOfFile(name: string): string {
  if (name.endsWith('.pdf')) return 'application/pdf';
  return name.endsWith('.csv') ? 'text/csv; charset=utf-8' : 'application/json';
}

function asAttachment(file: AttachedFile) {
  const content = 'bytes' in file ? file.bytes : Readable.from(file.parts, { objectMode: false });
  return { filename: file.name, contentType: typeOfFile(file.name), content };
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

/** A 5xx reply is final (RFC 5321 4.2.1). Without a reply the server may be unavailable only for a while. */
function refusalOf(error: unknown): MailRefusal {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const status = typeof responseCode === 'number' ? responseCode : undefined;
  const name = typeof code === 'string' ? code : 'EUNKNOWN';
  const isAboutUs = name === 'EAUTH' || name === 'ETLS';
  return new MailRefusal([name, status].filter(Boolean).join(' '), !isAboutUs && status !== undefined && status >= 500);
}
