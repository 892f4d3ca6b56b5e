export type * from './access/access.ts';
export { openAccess } from './access/open-access.ts';
export { hashPassword, requirePassword } from './access/passwords.ts';
export { type NodeClaims, readNodeCall, signNodeCall } from './cluster/cluster-token.ts';
export * from './cluster/node-client.ts';
export type * from './cluster/node-state.ts';
export { messageOfState } from './cluster/node-wire.ts';
export type * from './cluster/registrar.ts';
export { routeOf, type SeenNode } from './cluster/route-of.ts';
export type * from './cluster/routing.ts';
export { configJsonSchema } from './config/config-schema.ts';
export { readServerConfig } from './config/read-config.ts';
export { NO_CONFIG, type ServerConfig } from './config/server-config.ts';
export { environmentValues } from './config/setting-values.ts';
export { SERVER_SETTINGS, type SettingPath, settingVariable } from './config/settings.ts';
export {
  type ControlPlaneClientOptions,
  controlPlaneRegistrar,
} from './control-plane/control-plane-client.ts';
export { createGateway, type Gateway } from './gateway/gateway.ts';
export type * from './gateway/gateway-options.ts';
export type * from './limits/admission.ts';
export type * from './observe/observer.ts';
export { type ClusterOptions, clusterOptions } from './serve/cluster-options.ts';
export { type RunningServer, type ServeRequest, serveAll } from './serve/serve-all.ts';
export {
  type ClusterTimes,
  clusterTimes,
  type RunningControlPlane,
  type ServeControlPlaneRequest,
  serveControlPlane,
} from './serve/serve-control-plane.ts';
export { openCluster, type ServeGatewayRequest, serveGateway } from './serve/serve-gateway.ts';
export { type RunningNode, type ServeNodeRequest, serveNode } from './serve/serve-node.ts';
export { requireClosed, type ServerOptions, serverOptions } from './serve/server-options.ts';
export { openStore, type Store, type StoreLocation } from './store/open-store.ts';
