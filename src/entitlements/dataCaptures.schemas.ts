import { z } from 'zod';
import { formEmail, formId, formText } from '../kit/form';
import { cursorPageOf, CursorQuery, Message } from '../kit/page';

export const DataCaptureBody = z.object({
  email: formEmail(),
  full_name: formText({ max: 250 }),
  company: formText({ max: 250 }).optional(),
  merchant_uuid: formText({ max: 100 }),
  item_id: formId().optional(),
});

/** With an `item_id`, the response contains that item's content, without a sign-in. */
export const DataCaptureResponse = Message.extend({
  item_id: z.int().optional(),
  content: z.string().optional(),
  type: z.string().optional(),
});

export const DataCaptureQuery = CursorQuery;

/** An address that was left for an item. Times are Unix seconds. */
export const DataCaptureRow = z.object({
  id: z.int(),
  email: z.string(),
  full_name: z.string(),
  company: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});

export const DataCapturePage = cursorPageOf(DataCaptureRow);
