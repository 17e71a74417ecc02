import { anyone, merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  MerchantPath,
  RegisterFieldBody,
  RegisterFieldChange,
  RegisterFieldList,
  RegisterFieldPath,
  SavedRegisterField,
} from './registerFields.schemas';
import * as registerFields from './registerFields';

export const registerFieldEndpoints = {
  createRegisterField: endpoint({
    method: 'post',
    path: '/accounts/register-field',
    summary: 'Create a register field, which consumers fill in when they register',
    auth: merchant('accounts:write'),
    body: RegisterFieldBody,
    status: 200,
    response: SavedRegisterField,
    errors: ['register_field_exists'],
    handler: ({ caller, body }) => registerFields.createRegisterField(caller, body),
  }),
  updateRegisterField: endpoint({
    method: 'put',
    path: '/accounts/register-field',
    summary: 'Change a register field',
    auth: merchant('accounts:write'),
    body: RegisterFieldChange,
    status: 200,
    response: SavedRegisterField,
    errors: ['register_field_not_found', 'register_field_exists'],
    handler: ({ caller, body }) => registerFields.updateRegisterField(caller, body),
  }),
  deleteRegisterField: endpoint({
    method: 'delete',
    path: '/accounts/register-field/{id}',
    summary: 'Delete a register field',
    auth: withRecentFactor(merchant('accounts:write')),
    params: RegisterFieldPath,
    status: 200,
    response: Message,
    errors: ['register_field_not_found'],
    handler: ({ caller, params }) => registerFields.deleteRegisterField(caller, params.id),
  }),
  listRegisterFields: endpoint({
    method: 'get',
    path: '/accounts/register-fields/{merchant_uuid}',
    summary: 'List a merchant’s register fields, by the merchant’s uuid or an OAuth app’s client id',
    auth: anyone(),
    params: MerchantPath,
    status: 200,
    response: RegisterFieldList,
    errors: ['account_not_found'],
    handler: ({ params }) => registerFields.listRegisterFields(params.merchant_uuid),
  }),
};
