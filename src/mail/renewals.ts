import { type MailTemplate, type MailValues } from './mailValues';

interface Reader {
  merchantId: number;
  accountId: number | null;
}

/** Returns the values with links that are valid from now on; undefined if a newer mail has replaced this one. */
export type Renewal<T extends MailTemplate> = (
  values: MailValues[T],
  reader: Reader,
) => Promise<MailValues[T] | undefined>;

const renewals = new Map<MailTemplate, Renewal<MailTemplate>>();

/** Renews the links of mails that have waited for the budget of their merchant. */
export function renewLinksOf<T extends MailTemplate>(template: T, renewal: Renewal<T>): void {
  // The map connects each template with the renewal of its own values.
  renewals.set(template, renewal as unknown as Renewal<MailTemplate>);
}

/** The values of a mail, with renewed links; undefined if a newer mail has replaced this one. */
export async function renewValues(
  template: MailTemplate,
  values: MailValues[MailTemplate],
  reader: Reader,
): Promise<MailValues[MailTemplate] | undefined> {
  const renew = renewals.get(template);
  return renew ? renew(values, reader) : values;
}
