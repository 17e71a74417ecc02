import { merchant, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import {
  MailTextBody,
  MailTextDraft,
  MailTextList,
  MailTextPath,
  MailTextPreview,
  MailTextQuery,
  MailTextResponse,
} from './texts.schemas';
import * as texts from './texts';

const auth = merchant('branding:write');
const path = '/v2/mail-texts/{kind}/{language}';

export const mailTextEndpoints = {
  listMailTexts: endpoint({
    method: 'get',
    path: '/v2/mail-texts',
    summary:
      'The texts of the mails to customers in a language: the standard one, and the merchant’s own if there is one',
    auth,
    query: MailTextQuery,
    status: 200,
    response: MailTextList,
    errors: [],
    handler: ({ caller, query }) => texts.listMailTexts(caller, query),
  }),
  getMailText: endpoint({
    method: 'get',
    path,
    summary: 'The text of one mail to customers in a language',
    auth,
    params: MailTextPath,
    status: 200,
    response: MailTextResponse,
    errors: ['mail_text_not_found'],
    handler: ({ caller, params }) => texts.getMailText(caller, params),
  }),
  setMailText: endpoint({
    method: 'put',
    path,
    summary:
      'Replace the text of a mail to customers in a language, in plain text with placeholders such as `{amount}`',
    auth,
    params: MailTextPath,
    body: MailTextBody,
    status: 200,
    response: MailTextResponse,
    errors: ['missing_parameter', 'mail_text_not_found'],
    handler: ({ caller, params, body, request }) => texts.setMailText(caller, params, body, request),
  }),
  deleteMailText: endpoint({
    method: 'delete',
    path,
    summary: 'Go back to the standard text of a mail',
    auth: withRecentFactor(auth),
    params: MailTextPath,
    status: 200,
    response: Message,
    errors: ['mail_text_not_found'],
    handler: ({ caller, params, request }) => texts.deleteMailText(caller, params, request),
  }),
  previewMailText: endpoint({
    method: 'post',
    path: `${path}/preview`,
    summary: 'A mail with the values of an example: with the sent text, or with the saved one if no field is sent',
    auth,
    params: MailTextPath,
    body: MailTextDraft,
    status: 200,
    response: MailTextPreview,
    errors: ['mail_text_not_found'],
    handler: ({ caller, params, body }) => texts.previewMailText(caller, params, body),
  }),
  sendTestMail: endpoint({
    method: 'post',
    path: `${path}/test`,
    summary: 'Mail the same example to the caller’s own address, at most 20 times in an hour',
    auth,
    params: MailTextPath,
    body: MailTextDraft,
    status: 200,
    response: Message,
    errors: ['mail_text_not_found', 'too_many_requests'],
    handler: ({ caller, params, body }) => texts.sendTestMail(caller, params, body),
  }),
};
