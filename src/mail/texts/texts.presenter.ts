import { type z } from 'zod';
import { type Language } from '../../kit/languages';
import { unixSeconds } from '../../kit/time';
import { type MailText } from './texts.model';
import { type CustomerMail, type MailTextResponse } from './texts.schemas';

interface Described {
  kind: CustomerMail;
  language: Language;
  placeholders: string[];
  has_fixed_closing: boolean;
  standard: z.output<typeof MailTextResponse>['standard'];
}

/** `rows`: the merchant's texts of this kind of mail, in all languages. */
export function presentText(described: Described, rows: readonly MailText[]): z.output<typeof MailTextResponse> {
  const row = rows.find(({ language }) => language === described.language);
  return {
    ...described,
    own: row
      ? {
          subject: row.subject,
          heading: row.heading,
          opening: row.opening,
          closing: row.closing,
          button: row.button,
          updated_at: unixSeconds(row.updatedAt),
        }
      : null,
    changed_languages: rows.map(({ language }) => language as Language).sort(),
  };
}
