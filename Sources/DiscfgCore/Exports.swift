// Everything of DiscfgModel is available to the modules that import DiscfgCore.
@_exported public import DiscfgModel
