import { errorCatalogue, type ErrorCode } from '../../src/kit/errors';

interface ErrorBody {
  message: string;
  error: ErrorCode;
  errors?: Record<string, string>;
}

interface CatalogueEntry {
  message: string;
  isGeneral?: true;
}

/** The interface fixes the message `Invalid input` of a new password that is refused (decisions of the interface). */
const plainFields = ['password', 'password_confirmation'];

/** What a message lacks that an app shows to a person, or undefined. `Invalid input` alone does not say what to do. */
export function complaintAbout({ message, error, errors = {} }: ErrorBody): string | undefined {
  const { message: text, isGeneral }: CatalogueEntry = errorCatalogue[error];
  if (!isGeneral) return message === text ? undefined : `must be "${text}"`;
  const [field, sentence] = Object.entries(errors)[0] ?? [];
  if (message === text && error === 'invalid_input' && plainFields.includes(field ?? '')) return undefined;
  if (!message.startsWith(`${text}: `)) return `must begin with "${text}: " and say what is wrong`;
  if (sentence !== undefined && message !== `${text}: ${sentence}`) return `must end with "${sentence}"`;
  return /^.+\S[.?)]$/.test(message) ? undefined : 'must end with a sentence';
}

/** Every error that any test receives is checked, so every declared error of every endpoint is. */
export function checkMessage(status: number, body: unknown): void {
  const { error } = (body ?? {}) as { error?: string };
  if (status < 400 || error === undefined || !(error in errorCatalogue)) return;
  const complaint = complaintAbout(body as ErrorBody);
  if (complaint) throw new Error(`${JSON.stringify(body)}: the message ${complaint}`);
}
