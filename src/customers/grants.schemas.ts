import { z } from 'zod';
import { formDate, formExtensionDays, formId } from '../kit/form';

/** Access lasts as long as with the fee of `access_fee_id`, or until `expires_at`. */
export const GrantBody = z.object({
  item_id: formId(),
  consumer_id: formId(),
  access_fee_id: formId().optional(),
  expires_at: formDate().optional(),
});

export const AccessPath = z.object({ id: formId() });

export const ExtendBody = z.object({ days: formExtensionDays() });

export const FreemiumBody = z.object({ item_id: formId() });
