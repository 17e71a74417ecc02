import { getMailBrands } from '../../branding/branding';
import { type Language } from '../../kit/languages';
import { type MailDesign } from '../templateParts';
import { findMerchantZone, findTextsOfMails } from './texts.model';

interface DesignedMail {
  id: number;
  brandingId: number | null;
  language: string;
}

/** The brand of each queued mail, its language, and the merchant's own text of it if there is one. */
export async function getMailDesigns(merchantId: number, mails: readonly DesignedMail[]) {
  const ids = mails.map(({ id }) => id);
  const brandOf = await getMailBrands(
    merchantId,
    mails.map(({ brandingId }) => brandingId),
  );
  const zone = await findMerchantZone(merchantId);
  const texts = new Map((await findTextsOfMails(merchantId, ids)).map(({ mailId, ...text }) => [mailId, text]));
  return ({ id, brandingId, language }: DesignedMail): MailDesign => ({
    brand: brandOf(brandingId),
    language: language as Language,
    zone,
    own: texts.get(id),
  });
}
