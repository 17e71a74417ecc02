import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type Mail } from './mail.model';
import { type MailResponse } from './mail.schemas';

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
