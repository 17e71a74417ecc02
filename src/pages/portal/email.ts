import { z } from 'zod';
import { page, Redirect } from '../../kit/pages/page';
import { emailForms, refusedEmail } from '../customer/emailChange';
import { attempt } from '../layout/explain';
import { addressIn, inPortal, openPortal, portalPath, text } from './frame';
import { profilePage } from './profile';

/** The forms by which a customer requests another address, and cancels the request. */

const path = `${portalPath}/profile/email` as const;

export const emailPages = {
  requestEmailInPortal: page({
    ...inPortal,
    method: 'post',
    path,
    summary: 'Mails a link to a new address',
    form: z.object({ new_email: text, email_password: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const outcome = await attempt(portal.texts, () => emailForms.request(visit, visit.form));
      if ('done' in outcome) return new Redirect(addressIn(portal, 'profile', { done: 'emailSent' }));
      return profilePage(portal, { email: refusedEmail(outcome.refused, visit.form) });
    },
  }),
  cancelEmailInPortal: page({
    ...inPortal,
    method: 'post',
    path: `${path}/cancel`,
    summary: 'Cancels the change of the address',
    handler: async (visit) => {
      const portal = await openPortal(visit);
      // A change that was confirmed or has ended meanwhile needs no error: the page shows the address.
      await attempt(portal.texts, () => emailForms.cancel(visit));
      return new Redirect(addressIn(portal, 'profile', { done: 'emailKept' }));
    },
  }),
};
