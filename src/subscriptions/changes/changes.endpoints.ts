import { z } from 'zod';
import { consumer, merchant, openToActors, signedInWith } from '../../kit/auth';
import { endpoint, variant } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import { isSent } from '../../kit/validate';
import { ContinueBody } from '../cards.schemas';
import { continueOnPage } from '../setups/pageMethods';
import {
  CancelBody,
  CancelPath,
  CancelReply,
  ExtendBody,
  LinkPath,
  MethodBody,
  NamedSwitchBody,
  PauseBody,
  PendingChange,
  SubscriptionPath,
  SwitchBody,
  SwitchChoice,
  SwitchPreview,
  WaitingMethod,
} from './changes.schemas';
import * as changes from './changes';
import * as planChanges from './planChanges';
import { changePaymentMethod } from './payingMethods';

/** Consumers change their own subscriptions, merchants those of their customers. */
const change = { auth: signedInWith('payments:write'), status: 200 } as const;
/** A change that costs the customer nothing. Support may make it in the name of the customer. */
const support = { ...change, auth: openToActors('payments:write', change.auth) } as const;
const errors = ['subscription_not_found', 'subscription_state'] as const;
const paying = [...errors, 'payment_failed'] as const;
const payingBySavedCard = [...paying, 'card_confirmation_required'] as const;
const byToken = { ...change, params: CancelPath, response: CancelReply, errors } as const;
const ofOwn = { auth: consumer(), params: SubscriptionPath } as const;
const methodErrors = [
  'missing_parameter',
  'payment_method_not_offered',
  'provider_misconfigured',
  'payment_not_found',
] as const;
const switching = [...payingBySavedCard, 'access_fee_not_found', 'price_changed'] as const;

export const subscriptionChangeEndpoints = {
  cancelByUnsubscribeUrl: endpoint({
    ...change,
    method: 'get',
    path: '/subscriptions/cancel/{token}',
    summary: 'Cancel by the `unsubscribe_url` of a subscription, at the period’s end',
    params: LinkPath,
    response: CancelReply,
    errors,
    handler: ({ caller, params, request }) => changes.cancelByUnsubscribeUrl(caller, params.token, request),
  }),
  cancelByToken: endpoint({
    ...byToken,
    method: 'get',
    path: '/subscriptions/{id}/cancel/{cancel_token}',
    summary: 'Cancel at the period’s end',
    handler: ({ caller, params, request }) => changes.cancelByLink(caller, params.id, params.cancel_token, request),
  }),
  submitCancelByToken: endpoint({
    ...byToken,
    method: 'post',
    path: '/subscriptions/{id}/cancel/{cancel_token}',
    summary: 'Cancel at the period’s end',
    handler: ({ caller, params, request }) => changes.cancelByLink(caller, params.id, params.cancel_token, request),
  }),
  cancelSubscription: endpoint({
    ...support,
    method: 'delete',
    path: '/subscriptions/{id}',
    summary: 'Cancel at the period’s end, or now',
    params: SubscriptionPath,
    body: CancelBody,
    response: CancelReply,
    errors,
    handler: ({ caller, params, body, request }) => changes.cancelSubscription(caller, params.id, body, request),
  }),
  resumeSubscription: endpoint({
    ...change,
    method: 'post',
    path: '/subscriptions/{id}/resume',
    summary: 'Undo a cancellation or a planned pause, or end a pause',
    params: SubscriptionPath,
    response: Message,
    pending: PendingChange,
    errors: payingBySavedCard,
    handler: ({ caller, params, request }) => changes.resumeSubscription(caller, params.id, request),
  }),
  pauseSubscription: endpoint({
    ...support,
    method: 'post',
    path: '/subscriptions/{id}/pause',
    summary: 'Pause when the paid period ends',
    params: SubscriptionPath,
    body: PauseBody,
    response: Message,
    pending: PendingChange,
    errors,
    handler: ({ caller, params, body, request }) => changes.pauseSubscription(caller, params.id, body, request),
  }),
  extendSubscription: endpoint({
    method: 'post',
    path: '/subscriptions/{id}/extend',
    summary: 'Make the running period or trial longer, without a charge',
    auth: merchant('payments:write'),
    params: SubscriptionPath,
    body: ExtendBody,
    status: 200,
    response: Message,
    pending: PendingChange,
    errors,
    handler: ({ caller, params, body, request }) => changes.extendSubscription(caller, params.id, body, request),
  }),
  retryPayment: endpoint({
    ...change,
    method: 'post',
    path: '/subscriptions/{id}/retry',
    summary: 'Charge an overdue amount now',
    params: SubscriptionPath,
    response: Message,
    pending: PendingChange,
    errors: [...paying, 'too_many_requests'],
    handler: ({ caller, params, request }) => changes.retryPayment(caller, params.id, request),
  }),
  changePaymentMethod: endpoint({
    method: 'put',
    path: '/v2/subscriptions/{id}/payment-method',
    summary: 'Pay for a subscription by another method from now on',
    ...ofOwn,
    status: 200,
    body: MethodBody,
    response: Message,
    pending: z.union([PendingChange, WaitingMethod]),
    errors: [...payingBySavedCard, ...methodErrors],
    instead: variant(ofOwn, {
      summary: 'Continue after the payer has agreed on the page of the method',
      isMeant: ({ fields }) => isSent(fields['pi_id']),
      body: ContinueBody,
      handler: ({ caller, params, body, request }) => continueOnPage(caller, params.id, body.pi_id, request),
    }),
    handler: ({ caller, params, body, request }) => changePaymentMethod(caller, params.id, body, request),
  }),
  switchPlan: endpoint({
    ...change,
    method: 'post',
    path: '/subscriptions/{id}/switch',
    summary: 'Change to another fee of the item',
    params: SubscriptionPath,
    body: SwitchBody,
    response: Message,
    pending: PendingChange,
    errors: switching,
    handler: ({ caller, params, body, request }) => planChanges.switchPlan(caller, params.id, body, request),
  }),
  switchPlanV2: endpoint({
    ...change,
    method: 'post',
    path: '/v2/subscriptions/stripe:switch',
    summary: 'Change to another fee of the item (v2)',
    body: NamedSwitchBody,
    response: Message,
    pending: PendingChange,
    errors: switching,
    handler: ({ caller, body, request }) => planChanges.switchPlan(caller, body.inplayer_token, body, request),
  }),
  previewSwitch: endpoint({
    ...change,
    method: 'post',
    path: '/subscriptions/{id}/switch:preview',
    summary: 'Preview the price of a change to another fee',
    params: SubscriptionPath,
    body: SwitchChoice,
    response: SwitchPreview,
    errors: ['subscription_not_found', 'subscription_state', 'access_fee_not_found'],
    handler: ({ caller, params, body }) => planChanges.previewSwitch(caller, params.id, body),
  }),
};
