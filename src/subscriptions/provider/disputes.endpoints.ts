import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { DisputeDetailResponse, DisputePage, DisputePath, DisputesQuery, EvidenceBody } from './disputes.schemas';
import * as disputes from './disputes';

export const disputeEndpoints = {
  listDisputes: endpoint({
    method: 'get',
    path: '/payments/disputes',
    summary: 'List payments that the bank of a customer has taken back',
    auth: merchant('payments:read'),
    query: DisputesQuery,
    status: 200,
    response: DisputePage,
    errors: [],
    handler: ({ caller, query }) => disputes.listDisputes(caller, query),
  }),
  getDispute: endpoint({
    method: 'get',
    path: '/payments/disputes/{id}',
    summary: 'Get a dispute with the evidence that can be submitted',
    auth: merchant('payments:read'),
    params: DisputePath,
    status: 200,
    response: DisputeDetailResponse,
    errors: ['dispute_not_found'],
    handler: ({ caller, params }) => disputes.getDispute(caller, params.id),
  }),
  submitDisputeEvidence: endpoint({
    method: 'post',
    path: '/payments/disputes/{id}/evidence',
    summary: 'Submit the evidence of a dispute to the bank, once',
    auth: merchant('payments:write'),
    params: DisputePath,
    body: EvidenceBody,
    status: 200,
    response: DisputeDetailResponse,
    errors: ['dispute_not_found', 'dispute_closed', 'invalid_input', 'service_unavailable'],
    handler: ({ caller, params, body, request }) =>
      disputes.submitEvidence(caller, params.id, body.statement, request.requestId),
  }),
};
