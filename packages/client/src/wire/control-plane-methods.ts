import {
  AuthenticateReplySchema,
  AuthenticateRequestSchema,
  OpenAccountsReplySchema,
  OpenAccountsRequestSchema,
  RegisterReplySchema,
  RegisterRequestSchema,
  RoutingReplySchema,
  RoutingRequestSchema,
} from '../generated/lhs/node/v1/control_plane_pb.ts';

/** The internal service of the control plane. */
export const CONTROL_PLANE_SERVICE = 'lhs.node.v1.ControlPlane';

const path = (name: string): string => `/${CONTROL_PLANE_SERVICE}/${name}`;

/** The methods of the internal service of the control plane: their paths and messages. */
export const CONTROL_PLANE_METHODS = Object.freeze({
  register: {
    path: path('RegisterServedIndex'),
    input: RegisterRequestSchema,
    output: RegisterReplySchema,
  },
  authenticate: {
    path: path('Authenticate'),
    input: AuthenticateRequestSchema,
    output: AuthenticateReplySchema,
  },
  openAccounts: {
    path: path('OpenAccounts'),
    input: OpenAccountsRequestSchema,
    output: OpenAccountsReplySchema,
  },
  routing: { path: path('GetRouting'), input: RoutingRequestSchema, output: RoutingReplySchema },
});
