# A bill of materials (CycloneDX) without the components that only build the operator, and without dependencies on them.
.metadata.component["bom-ref"] as $root
| .components |= map(select(any(.properties[]?; .name == "quarkus:component:scope" and .value == "runtime")))
| ([$root] + [.components[]["bom-ref"]]) as $kept
| if has("dependencies") then
    .dependencies |= map(select(.ref | IN($kept[])) | if has("dependsOn") then .dependsOn |= map(select(IN($kept[]))) else . end)
  else . end
