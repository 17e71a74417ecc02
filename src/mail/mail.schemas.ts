import { z } from 'zod';
import { formEmail, formId } from '../kit/form';
import { cursorPageOf, PageQuery, pageOf } from '../kit/page';

export const MailboxQuery = PageQuery.extend({ to: formEmail().optional() });

/** A mail as its reader would receive it. `created_at` is Unix seconds. */
export const MailResponse = z.object({
  id: z.int(),
  message_id: z.string(),
  account_id: z.int().nullable(),
  to: z.string(),
  template: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  /** The file's content is at `/test-mailbox/{id}/attachment`. */
  attachment_name: z.string().nullable(),
  created_at: z.int(),
});

export const MailPath = z.object({ id: formId() });

export const MailPage = pageOf(MailResponse);

/**
 * `unreadable`: the content was sealed with another key. `answer`: the code of the mail server, if it refused the mail. Times are
 * Unix seconds.
 */
export const UndeliveredMail = z.object({
  id: z.int(),
  account_id: z.int().nullable(),
  to: z.string(),
  template: z.string(),
  reason: z.enum(['refused', 'too_late', 'unreadable']),
  answer: z.string(),
  created_at: z.int(),
  given_up_at: z.int(),
});

export const UndeliveredPage = cursorPageOf(UndeliveredMail);
