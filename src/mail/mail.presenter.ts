import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type Mail } from './mail.model';
import { type MailResponse, type UndeliveredMail } from './mail.schemas';

const unreadable = { subject: '', text: '', html: '' };

export function presentMail(
  mail: Mail,
  content: { subject: string; text: string; html: string } = unreadable,
): z.output<typeof MailResponse> {
  return {
    id: mail.id,
    message_id: mail.messageId,
    account_id: mail.accountId,
    to: mail.recipient,
    template: mail.template,
    ...content,
    attachment_name: mail.attachmentName,
    created_at: unixSeconds(mail.createdAt),
  };
}

/** `createdAt`, `givenUpAt`: Unix seconds in an answer, a date in a file. */
export function presentUndelivered<Time>(
  mail: Mail,
  {
    createdAt,
    givenUpAt,
    reason,
  }: { createdAt: Time; givenUpAt: Time; reason: z.output<typeof UndeliveredMail>['reason'] },
) {
  return {
    id: mail.id,
    account_id: mail.accountId,
    to: mail.recipient,
    template: mail.template,
    reason,
    answer: reason === 'refused' ? (mail.lastError ?? '') : '',
    created_at: createdAt,
    given_up_at: givenUpAt,
  };
}
