import { type z } from 'zod';
import { transaction } from '../../adapters/postgres/connection';
import { countHourly } from '../../adapters/hourlyCounts';
import { audit } from '../../audit/audit';
import { getMailBrands } from '../../branding/branding';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { queueMail } from '../mail';
import { type OwnText } from '../mailValues';
import { renderMail } from '../templates';
import { samplesAt } from './samples';
import { describeText, wrongPlaceholder } from './standard';
import { getAddress, MailText } from './texts.model';
import { presentText } from './texts.presenter';
import {
  customerMails,
  type MailTextBody,
  type MailTextDraft,
  type MailTextPath,
  type MailTextQuery,
} from './texts.schemas';

type Place = z.output<typeof MailTextPath>;
type Draft = z.output<typeof MailTextDraft>;

const testsPerHour = 20;

export async function listMailTexts({ merchantId }: Caller, { language }: z.output<typeof MailTextQuery>) {
  const rows = await MailText.findAll({ where: { merchantId } });
  const collection = customerMails.map((kind) =>
    presentText(
      describeText(kind, language),
      rows.filter((row) => row.kind === kind),
    ),
  );
  return { collection };
}

export async function getMailText({ merchantId }: Caller, { kind, language }: Place) {
  return presentText(describeText(kind, language), await MailText.findAll({ where: { merchantId, kind } }));
}

/** Replaces the whole text. Mails that wait are sent with the new text. */
export async function setMailText(
  caller: Caller,
  place: Place,
  input: z.output<typeof MailTextBody>,
  { requestId }: RequestFacts,
) {
  refuseFaults(place, input);
  const { heading = null, closing = null, button = null, subject, opening } = input;
  const row = { subject, heading, opening, closing, button, updatedAt: new Date() };
  await transaction(async (inTransaction) => {
    await MailText.upsert({ merchantId: caller.merchantId, ...place, ...row }, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'mail_text.update', object: objectOf(place), requestId });
  });
  return getMailText(caller, place);
}

/** Goes back to the standard text. */
export async function deleteMailText(caller: Caller, place: Place, { requestId }: RequestFacts) {
  await transaction(async (inTransaction) => {
    const where = { merchantId: caller.merchantId, ...place };
    if ((await MailText.destroy({ where, transaction: inTransaction })) === 0)
      throw new AppError('mail_text_not_found');
    await audit(inTransaction, caller, { action: 'mail_text.delete', object: objectOf(place), requestId });
  });
  return message('The mail has its standard text again');
}

const objectOf = ({ kind, language }: Place) => ['mail_text', `${kind}/${language}`] as const;

export async function previewMailText(caller: Caller, place: Place, draft: Draft) {
  const text = await tried(caller, place, draft);
  const brand = (await getMailBrands(caller.merchantId, []))(null);
  const { kind, language } = place;
  return renderMail(kind, samplesAt(brand.portalUrl)[kind], { brand, language, own: text ?? undefined });
}

/** Sends the mail to the caller's own address only, so that it cannot be used to mail other people. */
export async function sendTestMail(caller: Caller, place: Place, draft: Draft) {
  const { merchantId, accountId } = caller;
  const text = await tried(caller, place, draft);
  await countHourly(['mail_text_test', accountId], testsPerHour);
  const to = await getAddress(merchantId, accountId);
  const { kind, language } = place;
  const mail = { merchantId, accountId, to, language, template: 'sample', values: { kind, text } } as const;
  await transaction((inTransaction) => queueMail(inTransaction, mail));
  return message('The test mail is on its way to your address');
}

/** The draft, or the saved text if the draft has no field. Null: the standard text. */
async function tried({ merchantId }: Caller, place: Place, draft: Draft): Promise<OwnText | null> {
  refuseFaults(place, draft);
  if (Object.values(draft).every((field) => field === undefined)) {
    const saved = await MailText.findOne({ where: { merchantId, ...place } });
    return saved && textOf(saved);
  }
  const { standard } = describeText(place.kind, place.language);
  const { subject = standard.subject, opening = standard.opening } = draft;
  return textOf({ ...draft, subject, opening });
}

function textOf({ subject, heading, opening, closing, button }: z.output<typeof MailTextBody> | MailText): OwnText {
  return { subject, heading: heading ?? null, opening, closing: closing ?? null, button: button ?? null };
}

/** Names each field that this kind of mail cannot have, or whose placeholders it does not know. */
function refuseFaults({ kind, language }: Place, draft: Draft): void {
  const { placeholders, has_fixed_closing, standard } = describeText(kind, language);
  const errors: Record<string, string> = {};
  for (const [field, text = ''] of Object.entries(draft)) {
    const wrong = wrongPlaceholder(text, field === 'button' ? [] : placeholders);
    if (wrong !== undefined)
      errors[field] = `The ${field} has the placeholder ${wrong}, which this mail does not have.`;
  }
  if (has_fixed_closing && draft.closing !== undefined)
    errors['closing'] = 'The closing must be absent, because the standard one protects the reader.';
  if (standard.button === null && draft.button !== undefined)
    errors['button'] = 'The button must be absent, because this mail has none.';
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}
