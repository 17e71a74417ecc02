import { type Visit } from '../../kit/pages/page';
import { findZone } from '../../tax/taxSettings';
import { type Texts, textsFor } from '../layout/texts';

/**
 * The texts of a page for customers. While the zone of the visitor is not known, its days and times have the zone of the
 * merchant, like those in mails, and name it.
 */
export async function merchantTexts(visit: Visit, merchantId: number | undefined): Promise<Texts> {
  const isNeeded = visit.zone === undefined && merchantId !== undefined;
  return textsFor(visit, isNeeded ? await findZone(merchantId) : undefined);
}
