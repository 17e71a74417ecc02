import { type z } from 'zod';
import { type Caller } from '../../kit/auth';
import { normalizeEmail } from '../../kit/form';
import { message, pageRange } from '../../kit/page';
import { getTenant } from '../oauthApps/service';
import { DataCapture, upsertDataCapture } from './model';
import { presentDataCapture } from './presenter';
import { type DataCaptureBody, type DataCaptureQuery } from './schemas';

/** Whoever leaves an address may see the merchant's `DataCapture` items. The answer does not tell who was here before. */
export async function captureData(input: z.output<typeof DataCaptureBody>) {
  const { merchantId } = await getTenant(input.merchant_uuid);
  const { email, full_name: fullName, company = '' } = input;
  await upsertDataCapture([merchantId, email, normalizeEmail(email), fullName, company]);
  return message('Access successfully granted');
}

/** Newest first. */
export async function listDataCaptures(caller: Caller, query: z.output<typeof DataCaptureQuery>) {
  const { page, limit, offset } = pageRange(query);
  const { rows, count } = await DataCapture.findAndCountAll({
    where: { merchantId: caller.merchantId },
    order: [['id', 'DESC']],
    limit,
    offset,
  });
  return { total: count, page, offset, limit, collection: rows.map(presentDataCapture) };
}
