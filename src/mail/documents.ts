import { logger } from '../adapters/logger';
import { type Language } from '../kit/languages';
import { type MailTemplate, type MailValues } from './mailValues';

/** Invoices and receipts that are attached to mails. They are rendered when the mail is sent, and are not stored with it. */

export interface MailDocument {
  name: string;
  bytes: Buffer;
}

interface DocumentOwner {
  merchantId: number;
  accountId: number;
  language: Language;
}

/** Makes the document of a charge or of a refund; undefined if there is none. */
type DocumentSource = (owner: DocumentOwner, trxToken: string) => Promise<MailDocument | undefined>;

let makeDocument: DocumentSource | undefined;

/** Connects the mails with the rooms that know the documents. */
export function attachDocuments(source: DocumentSource): void {
  makeDocument = source;
}

/** A failure is tried again this often. After that, the mail is sent without its document. */
const triesMax = 3;

interface MailFacts {
  id: number;
  merchant_id: number;
  account_id: number | null;
  language: string;
  attempts: number;
}

/** The document of a mail; undefined if it has none, `later` if it could not be made and is tried again. */
export async function findDocument(
  mail: MailFacts,
  values: MailValues[MailTemplate],
): Promise<MailDocument | undefined | 'later'> {
  const { merchant_id: merchantId, account_id: accountId } = mail;
  const trxToken = 'trxToken' in values ? values.trxToken : undefined;
  if (trxToken === undefined || accountId === null) return undefined;
  try {
    return await makeDocument?.({ merchantId, accountId, language: mail.language as Language }, trxToken);
  } catch (error) {
    const { message: reason } = error as Error;
    logger.error({ mailId: mail.id, reason }, 'the document of a mail could not be made');
    return mail.attempts < triesMax ? 'later' : undefined;
  }
}
